// From words to logical lines. Blocks are found by columns as the parser finds them, which is all that is needed,
// because only text that parses comes here. The hard part are comments between two lines of different depth: they
// belong to the innermost block that ends there and is not indented further than the comment.
//
//     if p:
//         a()
//         # in the block
//     # after it
//     b()
#include "compiler/format/LogicalLines.h"

#include <algorithm>

namespace fly::format {

unsigned widthOf(llvm::StringRef text) {
  return static_cast<unsigned>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

bool LogicalLine::opensBlock() const {
  static const llvm::StringRef words[] = {"if", "elif", "else", "for", "while", "with", "def", "class"};
  return items.front().kind == WordKind::Keyword &&
         std::find(std::begin(words), std::end(words), items.front().text) != std::end(words);
}

namespace {

class Reader {
public:
  explicit Reader(llvm::StringRef text) : text(text) {}

  std::vector<LogicalLine> run() {
    for (const Word &word : readWords(text))
      take(word);
    moveTo(0);
    return std::move(lines);
  }

private:
  void take(const Word &word) {
    if (word.kind == WordKind::Newline) {
      if (lineIsEmpty)
        ++blanks;
      lineIsEmpty = true;
      if (brackets == 0)
        inStatement = false;
      return;
    }
    if (word.kind == WordKind::Join) {
      joined = true;
      return;
    }
    Item item;
    item.kind = word.kind;
    item.text = text.slice(word.begin, word.end);
    const unsigned column = lineIsEmpty || word.kind == WordKind::Comment ? columnOf(word.begin) : 0;
    if (item.kind == WordKind::Comment) {
      item.text = item.text.rtrim();
      item.column = column;
    }
    if (inStatement) {
      item.breakBefore = lineIsEmpty || joined;
      item.blankBefore = lineIsEmpty && blanks != 0;
      item.joined = joined;
    } else {
      if (item.kind != WordKind::Comment)
        moveTo(column);
      lines.emplace_back();
      lines.back().blanks = blanks;
      lines.back().depth = static_cast<unsigned>(columns.size()) - 1;
      inStatement = true;
    }
    lines.back().items.push_back(item);
    if (item.kind == WordKind::Open)
      ++brackets;
    if (item.kind == WordKind::Close && brackets)
      --brackets;
    lineIsEmpty = joined = false;
    blanks = 0;
  }

  /// A statement starts at `column`: blocks begin or end, and the comments before it find theirs.
  void moveTo(unsigned column) {
    std::vector<unsigned> ended; // columns of the blocks that end, innermost first
    if (column > columns.back())
      columns.push_back(column);
    for (; column < columns.back(); columns.pop_back())
      ended.push_back(columns.back());
    const unsigned depth = static_cast<unsigned>(columns.size()) - 1;

    size_t first = lines.size();
    while (first && lines[first - 1].isComment())
      --first;
    unsigned deepest = depth + static_cast<unsigned>(ended.size());
    for (size_t i = first; i < lines.size(); ++i) {
      size_t out = 0; // how many of the ended blocks the comment comes after
      while (out < ended.size() && lines[i].items[0].column < ended[out])
        ++out;
      deepest = std::min(deepest, depth + static_cast<unsigned>(ended.size() - out));
      lines[i].depth = deepest;
    }
  }

  unsigned columnOf(size_t offset) const {
    size_t start = offset;
    while (start && text[start - 1] != '\n' && text[start - 1] != '\r')
      --start;
    if (start == 0 && text.starts_with("\xEF\xBB\xBF"))
      start = 3;
    unsigned column = 0;
    for (char c : text.slice(start, offset))
      if (c == '\t')
        column = (column / 8 + 1) * 8;
      else if (c != '\f' && (static_cast<unsigned char>(c) & 0xC0) != 0x80)
        ++column;
    return column;
  }

  llvm::StringRef text;
  std::vector<LogicalLine> lines;
  std::vector<unsigned> columns{0}; ///< of the open blocks
  unsigned brackets = 0, blanks = 0;
  bool inStatement = false, lineIsEmpty = true, joined = false;
};

} // namespace

std::vector<LogicalLine> readLogicalLines(llvm::StringRef text) { return Reader(text).run(); }

} // namespace fly::format
