// See Cases.h.
#include "compiler/launch/Cases.h"

#include "compiler/syntax/Walk.h"

#include "llvm/ADT/StringExtras.h"

namespace fly::driver {

std::optional<std::vector<Case>> casesOf(ArchCompilation &compilation, const sema::CheckDefinition &definition,
                                         std::string &elsewhere) {
  auto &e = compilation.elaborator;
  const char *decorator = definition.isBench ? "`@bench`" : "`@check`";
  std::vector<sema::Values> lists;
  try {
    if (auto why = sema::notForTarget(e, definition.arch, definition.module)) {
      elsewhere = *why;
      return std::vector<Case>{};
    }
    sema::FrameScope scope(e, definition.module);
    for (auto &[parameter, expr] : definition.parameters) {
      lists.push_back(e.iterate(e.eval(*expr), expr->range, decorator));
      if (lists.back().empty())
        e.fail(expr->range, diag::empty_value{.what = "the list of `" + parameter + "`"});
    }
  } catch (sema::Failed &) {
    return std::nullopt;
  }
  std::vector<Case> cases;
  std::vector<size_t> at(lists.size(), 0);
  for (bool more = true; more;) {
    Case each{&definition, {}, std::string(compilation.target.name) + "  " + definition.def->name};
    for (size_t i = 0; i < lists.size(); ++i) {
      each.parameters.push_back({definition.parameters[i].first, lists[i][at[i]]});
      each.title += " " + definition.parameters[i].first + "=" + sema::toText(lists[i][at[i]], true);
    }
    cases.push_back(std::move(each));
    more = false;
    for (size_t i = lists.size(); i-- > 0 && !more;) {
      if (++at[i] < lists[i].size())
        more = true;
      else
        at[i] = 0;
    }
  }
  return cases;
}

bool runCase(ArchCompilation &compilation, CheckRunner &runner, const Case &each) {
  auto &e = compilation.elaborator;
  auto *def = each.definition->def;
  runner.failures.clear();
  runner.elsewhere.clear();
  runner.expectations = runner.launches = 0;
  unsigned errors = e.failures, shown = e.diags.shownErrors();
  sema::FrameScope scope(e, each.definition->module, runner);
  try {
    sema::Arguments arguments;
    for (auto &[name, value] : each.parameters)
      arguments.push_back({name, value, def->nameRange});
    e.callFunction(sema::FunctionValue{def, nullptr, nullptr, each.definition->module}, std::move(arguments),
                   def->nameRange);
  } catch (sema::Failed &) {
    ++e.failures;
  } catch (NotForTarget &kernel) {
    runner.elsewhere = std::move(kernel.why);
    runner.failures.push_back(runner.elsewhere);
  }
  e.fatal = false;
  return runner.failures.empty() && e.failures == errors && e.diags.shownErrors() == shown; // or a warning as an error
}

std::string emptinessOf(ArchCompilation &compilation, const CheckRunner &runner, const Case &each) {
  if (!runner.expectations)
    return "it evaluates no expectation, such as `expect_equal`";
  if (runner.launches)
    return "";
  auto &names = each.definition->module->names;
  std::string kernel;
  ast::walk(each.definition->def->body, [&](const ast::Expr &expr) {
    auto *name = llvm::dyn_cast<ast::NameExpr>(&expr);
    auto found = name && kernel.empty() ? names.find(name->name) : names.end();
    if (found != names.end() && found->second.is<sema::KernelValue>())
      kernel = name->name;
  });
  return kernel.empty() ? "" : "it names `" + kernel + "`, but launches no kernel";
}

std::optional<double> numberOf(ArchCompilation &compilation, const Case &each, const ast::Expr &expr,
                               llvm::StringRef what) {
  auto &e = compilation.elaborator;
  try {
    sema::FrameScope scope(e, each.definition->module);
    for (auto &[name, value] : each.parameters)
      e.frame->variables[name] = value;
    sema::Value value = e.eval(expr);
    if (auto *d = value.as<double>())
      return *d;
    if (value.is<sema::Int>())
      if (auto i = sema::toInt64(value))
        return double(*i);
    e.fail(expr.range, diag::not_a_number{.what = "`" + what.str() + "=`", .found = describe(value)});
  } catch (sema::Failed &) {
    return std::nullopt;
  }
}

bool matches(const std::string &filter, const std::string &title) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(filter, words, " ,");
  return llvm::all_of(words, [&](llvm::StringRef word) { return title.find(word.str()) != std::string::npos; });
}

std::optional<std::vector<const target::Target *>> targetsOf(Session &session, const std::vector<std::string> &names) {
  std::vector<const target::Target *> out;
  for (auto &name : names) {
    auto *found = target::find(name);
    if (!found) {
      session.diags.report(diag::unknown_arch, {}).arg(name).arg("").help("targets: " + target::names());
      return std::nullopt;
    }
    out.push_back(found);
  }
  return out;
}

} // namespace fly::driver
