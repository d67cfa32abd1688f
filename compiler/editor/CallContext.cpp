// See CallContext.h.
#include "compiler/editor/CallContext.h"

#include "compiler/syntax/Words.h"

#include "llvm/ADT/STLExtras.h"

#include <vector>

namespace fly::editor {

namespace {

struct Open {
  char bracket;
  size_t begin;
  size_t word; ///< its number
  unsigned commas = 0;
  size_t argument; ///< the number of the first word of the argument
};

/// Brackets that are open before the offset. A line that can only begin a statement closes all, as for the parser.
std::vector<Open> openAt(llvm::StringRef text, const std::vector<Word> &words, uint32_t offset) {
  constexpr llvm::StringLiteral beginners[] = {"def", "class", "import", "from", "return", "while", "with", "@"};
  std::vector<Open> open;
  for (size_t i = 0; i < words.size(); ++i) {
    const Word &word = words[i];
    if (word.end > offset)
      break;
    const llvm::StringRef spelled = text.slice(word.begin, word.end);
    const bool beginsLine = i == 0 || words[i - 1].kind == WordKind::Newline;
    if (beginsLine && llvm::is_contained(beginners, spelled))
      open.clear();
    if (word.kind == WordKind::Open)
      open.push_back({spelled[0], word.begin, i, 0, i + 1});
    else if (word.kind == WordKind::Close && !open.empty())
      open.pop_back();
    else if (word.kind == WordKind::Comma && !open.empty())
      ++open.back().commas, open.back().argument = i + 1;
  }
  return open;
}

} // namespace

std::optional<CallContext> callAt(llvm::StringRef text, uint32_t offset) {
  const std::vector<Word> words = readWords(text);
  const std::vector<Open> open = openAt(text, words, offset);
  auto spelled = [&](size_t i) { return text.slice(words[i].begin, words[i].end); };
  for (const Open &bracket : llvm::reverse(open)) {
    if (bracket.bracket == '{' || bracket.word == 0 || words[bracket.word - 1].kind != WordKind::Name)
      continue;
    CallContext call;
    call.bracket = bracket.bracket;
    call.argument = bracket.commas;
    size_t first = bracket.word - 1;
    while (first >= 2 && words[first - 1].kind == WordKind::Dot && words[first - 2].kind == WordKind::Name)
      first -= 2;
    for (size_t i = first; i < bracket.word; ++i)
      call.callee += spelled(i);
    call.calleeBegin = uint32_t(words[first].begin);
    const size_t argument = bracket.argument;
    if (argument + 1 < words.size() && words[argument + 1].end <= offset && words[argument].kind == WordKind::Name &&
        words[argument + 1].kind == WordKind::Assign)
      call.keyword = spelled(argument).str();
    if (first > 0 && words[first - 1].kind == WordKind::Keyword && spelled(first - 1) == "def")
      return std::nullopt; // parameters of a definition
    return call;
  }
  return std::nullopt;
}

std::string closersAt(llvm::StringRef text, uint32_t offset) {
  std::string result;
  const std::vector<Open> open = openAt(text, readWords(text), offset);
  for (const Open &bracket : llvm::reverse(open))
    result += bracket.bracket == '(' ? ')' : bracket.bracket == '[' ? ']' : '}';
  return result;
}

} // namespace fly::editor
