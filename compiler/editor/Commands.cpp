// Commands that a client runs on the server, and what can be chosen.
#include "compiler/editor/ServerParts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"

namespace fly::editor {

const Server::CommandRow Server::commandRows[] = {
    {"fly.chooseInstance", &Server::chooseInstance},
    {"fly.chooseArch", &Server::chooseArch},
    {"fly.runCheck", &Server::runCheck},
    {"fly.runBench", &Server::runBench},
};

/// Those that the client does not define: it makes each command of the server one of its own.
json::Array Server::ownCommands() const {
  json::Array result;
  for (const CommandRow &row : commandRows)
    if (!commands.count(row.name.str()))
      result.push_back(row.name.str());
  return result;
}

/// An argument of a command that is a text; none if it is left out, or null.
static std::optional<std::string> argument(const json::Object &params, size_t index) {
  auto *arguments = params.getArray("arguments");
  if (!arguments || index >= arguments->size() || (*arguments)[index].kind() == json::Value::Null)
    return std::nullopt;
  if (auto text = (*arguments)[index].getAsString())
    return text->str();
  throw Refusal{ErrorCode::InvalidParams, "argument " + std::to_string(index + 1) + " is not a text"};
}

json::Value Server::executeCommand(const json::Object &params) {
  const std::string name = params.getString("command").value_or("").str();
  for (const CommandRow &row : commandRows) {
    if (row.name != name)
      continue;
    auto found = documents.find(argument(params, 0).value_or(""));
    if (found == documents.end())
      throw Refusal{ErrorCode::InvalidParams, "the first argument is not the URI of an open document"};
    active = found->first;
    (this->*row.run)(found->second, params);
    return nullptr;
  }
  throw Refusal{ErrorCode::InvalidParams, "there is no command `" + name + "`"};
}

/// What can be chosen for the kernel at the position.
json::Value Server::instances(const json::Object &params) {
  Document &document = documentIn(params);
  const uint32_t offset = offsetIn(params, document);
  Snapshot &snapshot = snapshotOf(document);
  const Snapshot::InstanceList list = snapshot.instancesAt(offset);
  if (!list.def)
    return nullptr;
  json::Array names, archs;
  for (auto &symbol : list.symbols)
    names.push_back(json::Object{{"name", symbol}, {"text", snapshot.displayName(list, symbol)}});
  for (const target::Target &target : target::all())
    archs.push_back(std::string(target.name));
  return json::Object{{"kernel", list.def->name},
                      {"instance", list.symbol()},
                      {"arch", std::string(document.target->name)},
                      {"instances", std::move(names)},
                      {"archs", std::move(archs)}};
}

/// Arguments: URI, kernel, symbol of the instance. Without the last, the next one.
void Server::chooseInstance(Document &document, const json::Object &params) {
  const std::string kernel = argument(params, 1).value_or("");
  Snapshot &snapshot = snapshotOf(document);
  for (auto *statement : snapshot.tree().body) {
    auto *def = llvm::dyn_cast<ast::DefStmt>(statement);
    if (!def || def->name != kernel)
      continue;
    const Snapshot::InstanceList list = snapshot.instancesAt(def->nameRange.begin);
    if (!list.def)
      break;
    const std::string symbol = argument(params, 2).value_or(list.symbols[(list.shown + 1) % list.symbols.size()]);
    if (!llvm::is_contained(list.symbols, symbol))
      throw Refusal{ErrorCode::InvalidParams, "`" + kernel + "` has no instance `" + symbol + "`"};
    document.chosen[kernel] = symbol;
    document.cursor = def->nameRange.begin;
    return changedUnasked(document);
  }
  throw Refusal{ErrorCode::InvalidParams, "there is no kernel `" + kernel + "` with an instance"};
}

/// Arguments: URI, architecture. Without the last, the next one.
void Server::chooseArch(Document &document, const json::Object &params) {
  const auto all = target::all();
  if (auto name = argument(params, 1)) {
    auto *target = target::find(*name);
    if (!target)
      throw Refusal{ErrorCode::InvalidParams, "unknown architecture `" + *name + "`; targets: " + target::names()};
    document.target = target;
  } else {
    document.target = &all[size_t(document.target - all.data() + 1) % all.size()];
  }
  document.isTargetChosen = true;
  changedUnasked(document);
}

} // namespace fly::editor
