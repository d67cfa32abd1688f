// See Completion.h.
#include "compiler/editor/Completion.h"

#include "compiler/editor/CallContext.h"
#include "compiler/editor/Descriptions.h"
#include "compiler/editor/Instructions.h"
#include "compiler/sema/Sema.h"
#include "compiler/sema/amd/ExactInstructions.h"
#include "compiler/sema/atom/MmaAtom.h"
#include "compiler/sema/elaborator/Suggest.h"
#include "compiler/sema/prelude/Prelude.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Casting.h"

#include <set>

namespace fly::editor {

namespace json = llvm::json;

namespace {

enum class ItemKind {
  Method = 2,
  Function = 3,
  Field = 5,
  Variable = 6,
  Value = 12,
  Module = 9,
  Keyword = 14,
  Constant = 21,
  Struct = 22
};
constexpr size_t mostItems = 3000;
constexpr llvm::StringLiteral instructionPrefixes[] = {"v_", "s_", "ds_", "buffer_", "global_", "flat_"};

bool isNameByte(char c) { return llvm::isAlnum(c) || c == '_'; }

class Items {
public:
  void add(const std::string &name, ItemKind kind, int order, const std::string &detail = "",
           const std::string &documentation = "") {
    if (items.size() >= mostItems || !seen.insert(name).second)
      return;
    json::Object item{{"label", name}, {"kind", int(kind)}, {"sortText", std::to_string(order) + name}};
    if (!detail.empty())
      item["detail"] = detail;
    if (!documentation.empty())
      item["documentation"] = json::Object{{"kind", "markdown"}, {"value", documentation}};
    items.push_back(std::move(item));
  }
  void addBuiltin(const sema::Builtin &row, int order) {
    add(row.name, ItemKind::Function, order, std::string(row.name) + "(" + row.signature + ")", row.doc);
  }
  json::Object list() {
    const bool isFull = items.size() >= mostItems;
    return json::Object{{"isIncomplete", isFull}, {"items", std::move(items)}};
  }

private:
  json::Array items;
  std::set<std::string> seen;
};

ItemKind kindOf(const Symbol &symbol) {
  switch (symbol.kind) {
  case Symbol::Kind::Variable:
  case Symbol::Kind::Parameter: return ItemKind::Variable;
  case Symbol::Kind::Import:
  case Symbol::Kind::Function: return ItemKind::Function;
  case Symbol::Kind::Struct: return ItemKind::Struct;
  case Symbol::Kind::Module: return ItemKind::Module;
  }
  return ItemKind::Variable;
}

/// The parameters of a function as names, and each as written.
struct Signature {
  std::string label, documentation;
  std::vector<std::pair<std::string, std::string>> parameters;
};

Signature signatureOf(const sema::Builtin &row) {
  Signature result{std::string(row.name) + "(" + row.signature + ")", row.doc, {}};
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(row.signature).split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts)
    if (part = part.trim(); part != "*" && part != "/")
      result.parameters.push_back({part.trim("*=").str(), part.str()});
  return result;
}

Signature signatureOf(const ast::DefStmt &def, const SourceManager &sources) {
  std::string head = headOf(def, sources);
  head.erase(0, head.rfind("def ") + 4);
  Signature result{head, def.docstring, {}};
  for (auto &parameter : def.parameters)
    result.parameters.push_back({parameter.name, sources.text(parameter.range).str()});
  return result;
}

std::optional<Signature> signatureOf(Snapshot &snapshot, const CallContext &call, uint32_t offset) {
  auto [base, member] = llvm::StringRef(call.callee).split('.');
  Definitions definitions(snapshot);
  snapshot.runModule();
  for (const Symbol *symbol : definitions.names().visibleAt(offset)) {
    if (symbol->name != base)
      continue;
    auto definition = definitions.of(*symbol, member.str(), call.calleeBegin);
    if (auto *def = definition ? llvm::dyn_cast_or_null<ast::DefStmt>(definition->statement) : nullptr)
      return signatureOf(*def, snapshot.session.sources);
    if (!symbol->imported)
      return std::nullopt;
  }
  if (auto *row = findBuiltin(member.empty() ? base : call.callee.substr(call.callee.rfind('.') + 1)))
    return signatureOf(*row);
  return std::nullopt;
}

void addParameters(Items &items, Snapshot &snapshot, llvm::StringRef text, uint32_t offset) {
  auto call = callAt(text, offset);
  if (!call || call->callee.empty() || !call->keyword.empty())
    return;
  if (auto signature = signatureOf(snapshot, *call, offset))
    for (auto &[name, written] : signature->parameters)
      items.add(name + "=", ItemKind::Field, 0, written);
  // The products of the target, as they are written.
  for (const std::string &each : sema::mmaCalls(snapshot.target()))
    if (llvm::StringRef written = each;
        call->argument == 0 && written.consume_front(call->callee + "(") && written.consume_back(")"))
      items.add(written.str(), ItemKind::Value, 0, each);
}

/// The text with the marker, so that it can be read there: as it is; with brackets closed, and the line ended; as the
/// head of a block.
std::vector<std::string> markedTexts(llvm::StringRef text, uint32_t begin, uint32_t end) {
  const std::string before = (text.take_front(begin) + sema::completionMarker).str();
  const llvm::StringRef after = text.drop_front(end), nextLines = after.drop_until([](char c) { return c == '\n'; });
  const std::string closed = before + closersAt(text, begin);
  return {before + after.str(), closed + nextLines.str(), closed + ": pass" + nextLines.str()};
}

} // namespace

json::Object completionsAt(llvm::StringRef text, uint32_t offset, const SnapshotMaker &make) {
  Items items;
  uint32_t begin = offset, end = offset;
  while (begin > 0 && isNameByte(text[begin - 1]))
    --begin;
  while (end < text.size() && isNameByte(text[end]))
    ++end;
  const llvm::StringRef before = text.take_front(begin), line = before.substr(before.rfind('\n') + 1);
  if (line.contains('#') || (begin < offset && llvm::isDigit(text[begin])))
    return items.list(); // a comment, a number
  const llvm::StringRef start = line.ltrim();
  if (start.starts_with("import ") || (start.starts_with("from ") && !start.contains(" import"))) {
    const std::string package = start.substr(start.rfind(' ') + 1).str();
    for (auto &name : sema::libraryModules())
      if (llvm::StringRef rest = name; rest.consume_front(package))
        items.add(rest.str(), ItemKind::Module, 0);
    return items.list();
  }
  const bool isMember = before.ends_with(".");
  std::vector<std::string> offered;
  std::unique_ptr<Snapshot> snapshot;
  for (std::string &marked : markedTexts(text, begin, end)) {
    snapshot = make(std::move(marked));
    if (holdsName(*snapshot, begin))
      break;
  }
  if (isMember || start.starts_with("from ")) { // what values have; names in scope are those of the text
    snapshot->offer(offered);
    snapshot->elaborateAt(begin);
    const auto named = namedAt(snapshot->tree(), begin);
    auto *base = named && named->isAttribute ? snapshot->notes.find(named->base) : nullptr;
    const bool isExact = base && base->module && base->module->name == sema::isaModule;
    if (isExact)
      for (auto &[name, meaning] : mnemonicsOf(snapshot->target(), snapshot->waits))
        if (llvm::StringRef(name).starts_with(text.slice(begin, offset)))
          items.add(name, ItemKind::Function, 1, meaning);
    // Functions of the module that stand for an instruction are there for all architectures.
    auto isElsewhere = [&](llvm::StringRef name) {
      return isExact && llvm::any_of(instructionPrefixes, [&](auto prefix) { return name.starts_with(prefix); }) &&
             llvm::none_of(mnemonicsOf(snapshot->target(), snapshot->waits),
                           [&](auto &each) { return each.first == name; });
    };
    for (auto &name : offered)
      if (name[0] != '_' && !isElsewhere(name))
        items.add(name, isMember ? ItemKind::Method : ItemKind::Function, 0);
    return items.list();
  }
  addParameters(items, *snapshot, text, offset);
  Definitions definitions(*snapshot);
  for (const Symbol *symbol : definitions.names().visibleAt(begin))
    if (symbol->name != sema::completionMarker)
      items.add(symbol->name, kindOf(*symbol), symbol->isGlobal ? 2 : 1);
  const sema::BuiltinTable &builtins = sema::environment().builtins;
  for (auto *row : builtins.all())
    if (!llvm::StringRef(row->name).starts_with("__"))
      items.addBuiltin(*row, 3);
  for (auto &[name, sentence] : sema::preludeConstants())
    items.add(name, ItemKind::Constant, 3, "", sentence);
  for (auto &name : sema::preludeNames(builtins))
    if (!llvm::StringRef(name).starts_with("__"))
      items.add(name, ItemKind::Constant, 3);
  for (const char *word : {"and",   "as",  "assert", "break",  "class",  "continue", "def", "elif",   "else",
                           "False", "for", "from",   "if",     "import", "in",       "is",  "lambda", "None",
                           "not",   "or",  "pass",   "return", "True",   "while",    "with"})
    items.add(word, ItemKind::Keyword, 4);
  return items.list();
}

json::Value signatureAt(Snapshot &snapshot, uint32_t offset) {
  auto call = callAt(snapshot.text(), offset);
  auto signature = call && !call->callee.empty() ? signatureOf(snapshot, *call, offset) : std::nullopt;
  if (!signature)
    return nullptr;
  json::Array parameters;
  size_t active = std::min<size_t>(call->argument, signature->parameters.size());
  for (size_t i = 0; i < signature->parameters.size(); ++i) {
    parameters.push_back(json::Object{{"label", signature->parameters[i].second}});
    if (!call->keyword.empty() && signature->parameters[i].first == call->keyword)
      active = i;
  }
  json::Object row{{"label", signature->label}, {"parameters", std::move(parameters)}};
  if (!signature->documentation.empty())
    row["documentation"] = json::Object{{"kind", "markdown"}, {"value", signature->documentation}};
  return json::Object{
      {"signatures", json::Array{std::move(row)}}, {"activeSignature", 0}, {"activeParameter", int64_t(active)}};
}

} // namespace fly::editor
