// See InputWrites.h.
#include "compiler/sema/elaborator/InputWrites.h"

#include "compiler/sema/module/ModuleLoader.h"
#include "compiler/syntax/AST.h"

namespace fly::sema {

/// The `In` of the parameter's annotation, in the definition of a module that holds `write`; null if there is none.
static const ast::NameExpr *inputAt(const ModuleLoader &loader, SourceRange write, llvm::StringRef name) {
  for (auto &module : loader.all()) {
    if (module->file != write.file || !module->tree)
      continue;
    for (auto *statement : module->tree->body) {
      auto *def = llvm::dyn_cast<ast::DefStmt>(statement);
      if (!def || write.begin < def->range.begin || write.end > def->range.end)
        continue;
      for (const ast::Parameter &parameter : def->parameters) {
        auto *annotation = llvm::dyn_cast_or_null<ast::SubscriptExpr>(parameter.annotation);
        auto *direction = annotation ? llvm::dyn_cast<ast::NameExpr>(annotation->base) : nullptr;
        if (parameter.name == name && direction && direction->name == "In")
          return direction;
      }
    }
  }
  return nullptr;
}

void failInput(Elaborator &e, SourceRange write, const std::string &name, llvm::StringRef declare) {
  {
    auto builder = e.report(diag::write_to_input, write, {name});
    if (auto *direction = inputAt(e.loader, write, name))
      builder.help(declare, Fix::possible(direction->range, "InOut"));
    else
      builder.help(declare);
  }
  throw Failed{};
}

} // namespace fly::sema
