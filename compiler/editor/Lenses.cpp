// See Lenses.h.
#include "compiler/editor/Lenses.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Casting.h"

namespace fly::editor {

namespace json = llvm::json;

static bool hasDecorator(const ast::DefStmt &def, std::initializer_list<llvm::StringRef> names) {
  return llvm::any_of(def.decorators, [&](const ast::Expr *decorator) {
    auto *call = llvm::dyn_cast<ast::CallExpr>(decorator);
    auto *name = llvm::dyn_cast<ast::NameExpr>(call ? call->callee : decorator);
    return name && llvm::is_contained(names, llvm::StringRef(name->name));
  });
}

bool isKernel(const ast::DefStmt &def) { return hasDecorator(def, {"kernel", "launch"}); }

std::string titleOf(const MachineCode &code, size_t textHash) {
  std::string text = code.arch + ": ";
  text += code.problem.empty() ? code.summary : "not compiled: " + code.problem;
  if (code.textHash != textHash)
    text += " (before the last change)";
  return text;
}

json::Array lensesOf(Snapshot &snapshot, const TextPositions &positions, const LensContext &context) {
  json::Array result;
  auto add = [&](const ast::DefStmt &def, json::Object command) {
    result.push_back(json::Object{{"range", positions.range(def.nameRange.begin, def.nameRange.end)},
                                  {"command", std::move(command)}});
  };
  for (auto *statement : snapshot.tree().body) {
    auto *def = llvm::dyn_cast<ast::DefStmt>(statement);
    if (!def)
      continue;
    if (hasDecorator(*def, {"check"}) && context.commands.count("fly.runCheck"))
      add(*def, json::Object{{"title", "run check"},
                             {"command", "fly.runCheck"},
                             {"arguments", json::Array{context.uri, def->name}}});
    if (!isKernel(*def))
      continue;
    auto [count, symbol] = snapshot.instancesAt(def->nameRange.begin);
    const std::string title = count == 0 ? "no instance, so no values are shown"
                              : count == 1
                                  ? symbol + ", " + context.target
                                  : symbol + ", 1 of " + std::to_string(count) + " instances, " + context.target;
    add(*def, json::Object{{"title", title}, {"command", ""}});
    if (auto found = context.machine.find(def->name); found != context.machine.end() && count > 0)
      add(*def, json::Object{{"title", titleOf(found->second, snapshot.textHash())}, {"command", ""}});
  }
  return result;
}

} // namespace fly::editor
