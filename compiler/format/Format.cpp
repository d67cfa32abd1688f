// Formats a file: first its logical lines in order, with the blank lines between them, then the columns of trailing
// comments, which depend on the code. The result is formatted once more and must not change, and its tree and words are
// compared with those of the source, so a file with a different meaning is never written.
#include "compiler/format/Format.h"

#include "compiler/format/LogicalLines.h"
#include "compiler/syntax/Parser.h"

#include <algorithm>

namespace fly {

namespace {

using namespace format;

/// The number of blank lines before each logical line.
class BlankLines {
public:
  explicit BlankLines(const std::vector<LogicalLine> &lines) : lines(lines) {}

  /// Call it for each line in order.
  unsigned before(size_t i) {
    const LogicalLine &line = lines[i];
    bool endsDefinition = false;
    for (; !definitions.empty() && line.depth <= definitions.back(); definitions.pop_back())
      endsDefinition |= line.depth == definitions.back();
    if (line.isDefinition())
      definitions.push_back(line.depth);
    if (i == 0 || line.depth > lines[i - 1].depth || isBelowDecorator(i) || isBoundToComment(i))
      return 0;
    if (endsDefinition || startsDefinition(i))
      return line.depth ? 1 : 2;
    return std::min(line.blanks, line.depth ? 1u : 2u);
  }

private:
  bool isBelowDecorator(size_t i) const {
    while (i > 0 && lines[i - 1].isComment())
      --i;
    return i > 0 && lines[i - 1].isDecorator();
  }
  /// The line and the comment right above it belong together.
  bool isBoundToComment(size_t i) const {
    return lines[i - 1].isComment() && lines[i].blanks == 0 && lines[i - 1].depth == lines[i].depth;
  }
  /// A definition, the first of its decorators, or the first of the comments right above.
  bool startsDefinition(size_t i) const {
    while (lines[i].isComment() && i + 1 < lines.size() && isBoundToComment(i + 1))
      ++i;
    return lines[i].isDefinition() || lines[i].isDecorator();
  }

  const std::vector<LogicalLine> &lines;
  std::vector<unsigned> definitions; ///< depths of those around the line
};

/// Trailing comments of adjacent lines that are aligned in the source stay aligned.
void placeComments(std::vector<OutputLine> &lines) {
  auto widthBefore = [](const OutputLine &line) { // of its last line, if a string has several
    return widthOf(llvm::StringRef(line.code).substr(line.code.rfind('\n') + 1));
  };
  auto isBehindCode = [](const OutputLine &line) {
    return !line.comment.empty() && line.code.find_first_not_of(' ') != std::string::npos;
  };
  for (size_t i = 0; i < lines.size();) {
    if (!isBehindCode(lines[i])) {
      lines[i].code += lines[i].comment;
      ++i;
      continue;
    }
    size_t end = i;
    unsigned needed = 0;
    for (; end < lines.size() && isBehindCode(lines[end]) && lines[end].commentColumn == lines[i].commentColumn; ++end)
      needed = std::max(needed, widthBefore(lines[end]) + 2);
    for (const unsigned column = std::max(needed, lines[i].commentColumn); i < end; ++i)
      lines[i].code += std::string(column - widthBefore(lines[i]), ' ') + lines[i].comment;
  }
}

std::string formatOnce(llvm::StringRef text, bool mayParenthesize) {
  std::vector<LogicalLine> lines = readLogicalLines(text);
  BlankLines blankLines(lines);
  std::vector<OutputLine> output;
  for (size_t i = 0; i < lines.size(); ++i) {
    const unsigned blanks = blankLines.before(i);
    setSpaces(lines[i]);
    std::vector<OutputLine> made = wrap(lines[i], mayParenthesize);
    output.insert(output.end(), blanks, OutputLine());
    for (OutputLine &line : made) {
      if (line.blankBefore)
        output.emplace_back();
      output.push_back(std::move(line));
    }
  }
  placeComments(output);
  // The line ends of the source's first line; those inside strings stay as they are.
  const size_t firstEnd = text.find_first_of("\r\n");
  const char *lineEnd = firstEnd == llvm::StringRef::npos || text[firstEnd] == '\n' ? "\n"
                        : text.substr(firstEnd).starts_with("\r\n")                 ? "\r\n"
                                                                                    : "\r";
  std::string result = text.starts_with("\xEF\xBB\xBF") ? "\xEF\xBB\xBF" : "";
  for (const OutputLine &line : output)
    result += llvm::StringRef(line.code).rtrim(' ').str() + lineEnd;
  return result;
}

/// Everything that formatting keeps: the tree, and in order the words, as they are spelled, and the comments. A long
/// value may get parentheses; the tree shows that they change nothing.
std::string contentOf(FileId file, SourceManager &sources) {
  std::string content;
  llvm::raw_string_ostream os(content);
  DiagnosticEngine diags(sources);
  if (auto tree = parseModule(file, diags))
    printAST(*tree, sources, os, /*withPlaces=*/false);
  for (const Word &word : readWords(sources.text(file)))
    if (llvm::StringRef spelled = sources.text(file).slice(word.begin, word.end).rtrim();
        word.kind != WordKind::Newline && word.kind != WordKind::Join && spelled != "(" && spelled != ")")
      os << spelled << '\n';
  return content;
}

} // namespace

std::string formatInOneLine(llvm::StringRef text, bool isExpression) {
  LogicalLine line;
  if (isExpression) {
    line.items.emplace_back();
    line.items[0].kind = WordKind::Open;
    line.items[0].text = "[";
  }
  for (const Word &word : readWords(text))
    if (word.kind != WordKind::Newline && word.kind != WordKind::Join && word.kind != WordKind::Comment) {
      Item item;
      item.kind = word.kind;
      item.text = text.slice(word.begin, word.end);
      line.items.push_back(item);
    }
  std::string result;
  if (line.items.empty())
    return result;
  setSpaces(line);
  for (size_t i = isExpression; i < line.items.size(); ++i)
    result += (line.items[i].spaceBefore ? " " : "") + line.items[i].text.str();
  return result;
}

std::optional<std::string> formatFile(FileId file, DiagnosticEngine &diags) {
  if (!parseModule(file, diags))
    return std::nullopt;
  SourceManager &sources = diags.sources;
  SourceManager own;
  const std::string content = contentOf(own.add("", sources.text(file).str()), own);
  // Parentheses more than the parser's limit would be refused; such a file does without.
  for (bool mayParenthesize : {true, false}) {
    std::string result = formatOnce(sources.text(file), mayParenthesize);
    if (contentOf(own.add("", result), own) == content && formatOnce(result, mayParenthesize) == result)
      return result;
  }
  diags.report(diag::bad_option, {})
      .arg(sources.name(file))
      .arg("formatting would change the meaning of this file, so it is left unchanged; this is a bug in flyc");
  return std::nullopt;
}

} // namespace fly
