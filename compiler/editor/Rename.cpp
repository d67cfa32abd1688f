// See Rename.h. A new name must mean nothing yet wherever it will stand, so that each place means after it what it
// meant before; a name that needs no import may be taken where the file does not use it. Where only a value could tell
// what a name means, such as keywords of a call of a function in a variable, the whole is refused.
#include "compiler/editor/Rename.h"

#include "compiler/sema/module/EmbeddedLibrary.h"
#include "compiler/syntax/Words.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace fly::editor {

static std::string inTicks(llvm::StringRef name) { return "`" + name.str() + "`"; }

std::variant<SourceRange, std::string> renamableAt(Snapshot &snapshot, uint32_t offset) {
  Definitions definitions(snapshot);
  if (sema::isEmbedded(snapshot.session.sources.name(snapshot.file())))
    return "a module of the library is not changed";
  const Occurrence *here = definitions.names().at(offset);
  if (!here)
    return "this is not a name that the file defines";
  const Symbol &symbol = *here->symbol;
  if (!here->member.empty() || symbol.imported)
    return inTicks(here->member.empty() ? symbol.name : here->member) + " is defined in another module";
  if (symbol.isMember)
    return inTicks(symbol.name) + " is a member of a struct: which values have it is not known";
  return here->range;
}

std::variant<std::vector<SourceRange>, std::string> renamed(Snapshot &snapshot, uint32_t offset,
                                                            const std::string &name) {
  auto place = renamableAt(snapshot, offset);
  if (auto *problem = std::get_if<std::string>(&place))
    return *problem;
  const std::vector<Word> given = readWords(name);
  const bool isName = !given.empty() && given.front().kind == WordKind::Name && given.front().begin == 0 &&
                      given.front().end == name.size();
  if (!isName || name == "True" || name == "False" || name == "None")
    return inTicks(name) + " is not a name";

  Definitions definitions(snapshot);
  const Names &names = definitions.names();
  const Symbol &symbol = *names.at(offset)->symbol;
  std::vector<SourceRange> result;
  std::set<uint32_t> known; ///< where a name begins whose meaning is known
  for (const Occurrence &each : names.all()) {
    known.insert(each.range.begin);
    if (each.symbol == &symbol && each.member.empty())
      result.push_back(each.range);
  }
  if (name == symbol.name)
    return std::vector<SourceRange>();
  for (SourceRange range : result)
    if (llvm::any_of(names.visibleAt(range.begin), [&](const Symbol *other) { return other->name == name; }))
      return inTicks(name) + " already means something where " + inTicks(symbol.name) + " stands";
  // Words with one of both names whose meaning is not known.
  const llvm::StringRef text = snapshot.text();
  const std::vector<Word> words = readWords(text);
  for (size_t i = 0; i < words.size(); ++i) {
    const llvm::StringRef word = text.slice(words[i].begin, words[i].end);
    const bool isMember = i > 0 && words[i - 1].kind == WordKind::Dot;
    const bool isKeyword = i > 0 && i + 1 < words.size() && words[i + 1].kind == WordKind::Assign &&
                           words[i - 1].kind != WordKind::Newline && words[i - 1].kind != WordKind::Semicolon;
    if (words[i].kind != WordKind::Name || isMember || known.count(words[i].begin))
      continue;
    if (word == name && !isKeyword)
      return inTicks(name) + " already means something in this file";
    if (word == symbol.name && isKeyword && symbol.kind == Symbol::Kind::Parameter)
      return "a call gives " + inTicks(symbol.name) + " to a function that is known only when it runs";
  }
  return result;
}

} // namespace fly::editor
