// The lines of a statement. The author's breaks inside brackets stay; a line that is too long gets more of them, each
// at the best place so far: in as few brackets as possible, preferably after a comma rather than at an operator, and as
// late as possible.
//
//     y = f(alpha, beta,            below the first word after the bracket
//           gamma)
//     y = f(                        the break directly follows the bracket: indented by four,
//         alpha, beta               and a closing bracket on its own line is aligned with the start of the first line
//     )
//
// A value that could only be broken inside one of its parts gets parentheses, which the tree does not show:
//
//     x, y = (random((n,), T, seed=1),
//             random((n,), T, seed=2))
//
// A break depends only on what precedes it on its line, never on later lines, so text that has these breaks is not
// broken again: formatting twice is the same as formatting once.
#include "compiler/format/LogicalLines.h"

#include "llvm/ADT/StringSwitch.h"

#include <tuple>

namespace fly::format {

namespace {

constexpr unsigned maxColumns = 100, indentation = 4;
constexpr unsigned behindBracket = 7; ///< the kind of a break right after an opening bracket
constexpr unsigned farRight = 60;     ///< a bracket that opens further right gets its content on a line of its own

class Wrapper {
public:
  explicit Wrapper(const LogicalLine &line) : items(line.items), breaks(line.items.size()), isBlock(line.opensBlock()) {
    for (size_t i = 0; i < items.size(); ++i)
      breaks[i] = items[i].breakBefore;
    base = line.depth * indentation;
  }

  /// Whether a line is too long with the author's breaks alone.
  bool needsBreaks = false;

  std::vector<OutputLine> run() {
    startLine(0);
    for (size_t i = 0; i < items.size(); ++i) {
      if (breaks[i] && i > lineStart.item) {
        finishLine(i);
        startLine(i);
      }
      const Item &item = items[i];
      if (item.kind == WordKind::Comment) {
        current.comment = item.text.str();
        current.commentColumn = item.column;
        continue;
      }
      append(item);
      if (tooLong || column > maxColumns) {
        needsBreaks = true;
        // Once a line is known to have no place for a break before this item, only the item itself can be one.
        const size_t at = !wasSearched ? bestBreak(i) : i > lineStart.item && breakKind(i) ? i : 0;
        wasSearched = true;
        if (at) {
          breaks[at] = true;
          restart();
          i = lineStart.item - 1;
        }
      }
    }
    output.push_back(std::move(current));
    return std::move(output);
  }

private:
  struct Bracket {
    unsigned content; ///< where lines inside it start
    unsigned line;    ///< where the line starts on which it opens
    bool isHanging;
    size_t item; ///< the opening one
  };
  struct LineStart {
    size_t item = 0;
    std::vector<Bracket> brackets;
    unsigned indent = 0;
  };

  /// Where line `i` starts.
  unsigned indentOf(size_t i) const {
    if (i == 0)
      return base;
    if (brackets.empty())
      return base + indentation * (isBlock ? 2 : 1); // after a backslash
    return items[i].kind == WordKind::Close ? brackets.back().line : brackets.back().content;
  }

  void startLine(size_t i) {
    lineStart = {i, brackets, indentOf(i)};
    begin();
  }
  /// Goes back to the start of the line, to make it again with one break more.
  void restart() {
    brackets = lineStart.brackets;
    begin();
  }
  void begin() {
    current = {};
    current.code = std::string(lineStart.indent, ' ');
    current.blankBefore = items[lineStart.item].blankBefore;
    column = lineStart.indent;
    isEmpty = true;
    tooLong = wasSearched = false;
  }
  void finishLine(size_t next) {
    if (brackets.empty() && items[next].joined)
      current.code += " \\";
    output.push_back(std::move(current));
  }

  void append(const Item &item) {
    const size_t index = &item - items.data();
    if (item.kind == WordKind::Close && !brackets.empty())
      brackets.pop_back();
    if (item.spaceBefore && !isEmpty)
      current.code += ' ', ++column;
    current.code += item.text;
    if (size_t end = item.text.rfind('\n'); end != llvm::StringRef::npos) {
      tooLong |= column + widthOf(item.text.take_until([](char c) { return c == '\n'; })) > maxColumns;
      column = widthOf(item.text.substr(end + 1));
    } else {
      column += widthOf(item.text);
    }
    isEmpty = false;
    if (item.kind == WordKind::Open) {
      const bool hanging =
          index + 1 < items.size() && (breaks[index + 1] || items[index + 1].kind == WordKind::Comment);
      const unsigned further = isBlock && hanging && !closesAlone(index) ? 2 : 1;
      brackets.push_back(
          {hanging ? lineStart.indent + indentation * further : column, lineStart.indent, hanging, index});
    }
  }

  /// Whether the bracket that closes `open` starts a line.
  bool closesAlone(size_t open) const {
    for (size_t i = open + 1; i < items.size(); ++i)
      if (items[i].kind == WordKind::Close && items[i].depth == items[open].depth)
        return breaks[i];
    return false;
  }

  /// Whether item `i` follows a comma between names that a comprehension or a lambda binds: `for x, y in`,
  /// `lambda x, y:`.
  bool bindsNames(size_t i) const {
    const unsigned depth = items[i].depth;
    for (size_t k = i; k-- > 0 && items[k].depth >= depth;) {
      if (items[k].depth > depth)
        continue;
      if (items[k].text == "for" || items[k].text == "lambda")
        return items[k].kind == WordKind::Keyword;
      if (items[k].text == "in" || items[k].kind == WordKind::Colon)
        return false;
    }
    return false;
  }

  /// The cost of a break before item `i`, lower is better; 0 where no break is possible. The weakest operators are
  /// preferred.
  unsigned breakKind(size_t i) const {
    const Item &item = items[i], &before = items[i - 1];
    if (item.depth == 0 || item.kind == WordKind::Close || item.kind == WordKind::Comment)
      return 0;
    if (before.kind == WordKind::Comma && bindsNames(i))
      return 0;
    if (before.kind == WordKind::Comma || (before.kind == WordKind::String && item.kind == WordKind::String))
      return 1;
    if (item.kind == WordKind::Keyword &&
        (item.text == "and" || item.text == "or" || item.text == "if" || item.text == "else" || item.text == "for"))
      return 2;
    if (item.isBinary)
      return llvm::StringSwitch<unsigned>(item.text)
          .Cases({"<", "<=", ">", ">=", "==", "!="}, 3)
          .Cases({"|", "^", "&", "<<", ">>"}, 4)
          .Cases({"+", "-"}, 5)
          .Default(6);
    return before.kind == WordKind::Open ? behindBracket : 0;
  }

  /// The item before which to break a line that is too long at item `last`; 0 if there is none.
  size_t bestBreak(size_t last) const {
    size_t best = 0;
    std::tuple<unsigned, unsigned> bestRank;
    unsigned width = lineStart.indent;
    for (size_t i = lineStart.item; i <= last; ++i) {
      const unsigned kind = i > lineStart.item ? breakKind(i) : 0;
      if (kind && (best == 0 || width <= maxColumns)) {
        std::tuple rank(items[i].depth + (kind == behindBracket), kind);
        if (best == 0 || rank <= bestRank)
          best = i, bestRank = rank;
      }
      width += items[i].spaceBefore + widthOf(items[i].text);
    }
    if (best == 0)
      return 0;
    // The bracket around the break, if it opens in this line far to the right: there is more room without it.
    size_t open = best;
    unsigned depth = items[best].depth;
    while (open > lineStart.item && !(items[open].kind == WordKind::Open && items[open].depth + 1 == depth))
      --open;
    if (items[open].kind == WordKind::Open && items[open].depth + 1 == depth && open + 1 < best) {
      unsigned at = lineStart.indent;
      for (size_t i = lineStart.item; i <= open; ++i)
        at += items[i].spaceBefore + widthOf(items[i].text);
      if (at > farRight)
        return open + 1;
    }
    return best;
  }

  const std::vector<Item> &items;
  std::vector<char> breaks;
  const bool isBlock;
  unsigned base = 0;
  std::vector<OutputLine> output;
  OutputLine current;
  LineStart lineStart;
  std::vector<Bracket> brackets;
  unsigned column = 0;
  bool isEmpty = true, tooLong = false, wasSearched = false;
};

} // namespace

namespace {

bool isAugmented(const Item &item) {
  return item.kind == WordKind::Operator && item.text.size() > 1 && item.text.ends_with("=") && item.text != "==" &&
         item.text != "<=" && item.text != ">=" && item.text != "!=";
}

/// Puts the value of an assignment or a `return`, or the condition of a block, into parentheses, if that makes places
/// for breaks: there is a comma or an operator outside of all brackets.
bool parenthesize(LogicalLine &line) {
  std::vector<Item> &items = line.items;
  size_t begin = 0, end = items.size();
  while (end && items[end - 1].kind == WordKind::Comment)
    --end;
  const llvm::StringRef first = items[0].text;
  const bool isCondition = items[0].kind == WordKind::Keyword && (first == "if" || first == "elif" || first == "while");
  if (isCondition) {
    if (!end || items[end - 1].kind != WordKind::Colon)
      return false;
    begin = 1, --end;
  } else if (items[0].kind == WordKind::Keyword && first == "return") {
    begin = 1;
  } else if (items[0].kind != WordKind::Keyword && items[0].text != "@") {
    for (size_t i = 0; i < end; ++i)
      if (items[i].depth == 0 && (items[i].kind == WordKind::Assign || isAugmented(items[i])))
        begin = i + 1;
  }
  if (begin == 0)
    return false;
  bool helps = false;
  for (size_t i = begin; i < end; ++i) {
    const Item &item = items[i];
    if (item.depth != 0)
      continue;
    if (item.kind == WordKind::Semicolon || item.kind == WordKind::Colon || item.kind == WordKind::Comment ||
        item.text == "lambda")
      return false;
    helps |= item.kind == WordKind::Comma || item.isBinary ||
             (item.kind == WordKind::Keyword && (item.text == "and" || item.text == "or" || item.text == "if"));
  }
  if (!helps)
    return false;
  Item open, close;
  open.kind = WordKind::Open, open.text = "(";
  close.kind = WordKind::Close, close.text = ")";
  std::swap(open.breakBefore, items[begin].breakBefore);
  items.insert(items.begin() + end, close);
  items.insert(items.begin() + begin, open);
  setSpaces(line);
  return true;
}

} // namespace

std::vector<OutputLine> wrap(const LogicalLine &line, bool mayParenthesize) {
  Wrapper asWritten(line);
  std::vector<OutputLine> lines = asWritten.run();
  if (!asWritten.needsBreaks || !mayParenthesize)
    return lines;
  LogicalLine changed = line;
  return parenthesize(changed) ? Wrapper(changed).run() : lines;
}

} // namespace fly::format
