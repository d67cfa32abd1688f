// See Evaluate.h. An expression of the command line cannot import, so the names of `fly.amd` are visible directly and
// through `amd`.
#include "compiler/compilation/Evaluate.h"

#include "compiler/sema/language/Resolver.h"
#include "compiler/sema/module/ModuleLoader.h"
#include "compiler/syntax/Parser.h"

namespace fly::driver {

std::optional<sema::Value> evaluateText(Session &session, sema::Elaborator &elaborator, std::string place,
                                        std::string text, const std::map<std::string, sema::Value> &names) {
  FileId file = session.sources.add(std::move(place), std::move(text));
  auto tree = parseExpression(file, session.diags);
  if (!tree)
    return std::nullopt;
  sema::ModuleScope scope;
  scope.name = "eval";
  scope.imported = true;
  scope.tree = std::move(tree);
  sema::ModuleScope *amd = elaborator.loader.builtinModule(sema::amdModule);
  scope.names = amd->names;
  scope.names["amd"] = sema::Value(sema::ModuleValue{amd});
  for (auto &[name, value] : names)
    scope.names[name] = value;
  auto outer = elaborator.frame;
  elaborator.frame = std::make_shared<sema::Frame>();
  elaborator.frame->module = &scope;
  elaborator.frame->isModule = true;
  std::optional<sema::Value> result;
  try {
    if (sema::resolveNames(scope, elaborator))
      result = elaborator.eval(*llvm::cast<ast::ExprStmt>(scope.tree->body[0])->value);
  } catch (sema::Failed &) {
  }
  elaborator.frame = outer;
  return result;
}

bool readDefinitions(Session &session, sema::Elaborator &elaborator) {
  for (auto &define : session.options.defines) {
    auto [name, text] = llvm::StringRef(define).split('=');
    auto value = evaluateText(session, elaborator, "<-D " + name.str() + ">", text.empty() ? "True" : text.str());
    if (!value)
      return false;
    elaborator.definitions[name.str()] = *value;
  }
  return true;
}

} // namespace fly::driver
