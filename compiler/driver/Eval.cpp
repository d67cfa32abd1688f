// `flyc eval`, `flyc explain`, `flyc targets`: answers without a file.
#include "compiler/driver/Session.h"

#include "compiler/sema/Resolver.h"
#include "compiler/syntax/Parser.h"

#include "llvm/Support/Format.h"

#include <iostream>

namespace fly::driver {

static bool evalLine(Session &session, sema::Elaborator &elaborator, sema::ModuleScope &scope, const std::string &text) {
  FileId file = session.sources.add("<eval>", text);
  auto tree = parseExpression(file, session.diags);
  bool ok = false;
  if (tree) {
    scope.tree = std::move(tree);
    auto resolved = sema::resolveNames(scope, elaborator);
    try {
      if (resolved) {
        llvm::outs() << sema::toText(elaborator.eval(*llvm::cast<ast::ExprStmt>(scope.tree->body[0])->value), true) << '\n';
        ok = true;
      }
    } catch (sema::Failed &) {
    }
  }
  llvm::outs().flush();
  session.finish();
  return ok;
}

int eval(const Options &options, const std::string &expression, const std::string &arch) {
  Session session(options);
  auto *target = target::find(arch);
  if (!target) {
    session.diags.report(diag::unknown_arch, {}).arg(arch).arg("").help("targets: " + target::names());
    session.finish();
    return 2;
  }
  ArchCompilation compilation(session, *target);
  sema::ModuleScope scope;
  scope.name = "eval";
  scope.imported = true;
  auto &elaborator = compilation.elaborator;
  elaborator.frame->module = &scope;
  elaborator.frame->isModule = true;
  if (expression != "-")
    return evalLine(session, elaborator, scope, expression) ? 0 : 1;
  bool ok = true;
  for (std::string line; std::getline(std::cin, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos)
      ok &= evalLine(session, elaborator, scope, line);
  return ok ? 0 : 1;
}

int explain(const std::string &code) {
  auto kind = findDiagnostic(code);
  if (!kind) {
    std::vector<std::string> names;
    for (unsigned i = 0; i < diag::count; ++i) {
      names.push_back(info(diag::Kind(i)).code);
      names.push_back(info(diag::Kind(i)).name);
    }
    auto guess = didYouMean(code, names);
    llvm::errs() << "error: there is no diagnostic `" << code << "`" << (guess ? "; did you mean `" + *guess + "`?" : "") << '\n';
    return 2;
  }
  llvm::outs() << explanation(*kind);
  return 0;
}

int targets() {
  for (auto &target : target::all())
    llvm::outs() << llvm::format("%-8s  %-8s  wave%u  %3u KiB LDS  %4u VGPR  %s\n", std::string(target.name).c_str(),
                                 std::string(target.family).c_str(), target.waveSize, target.ldsBytes / 1024,
                                 target.vgprs.addressable + target.agprs, std::string(target.products).c_str());
  return 0;
}

} // namespace fly::driver
