// `flyc test`: the `@check`s of a file, one line for each combination of their parameters.
#include "compiler/driver/Runner.h"

#include "llvm/Support/Format.h"

namespace fly::driver {

namespace {

std::vector<Order> ordersOf(const std::string &name, uint64_t seed) {
  Order ascending{emulator::WaveOrder::Ascending, 0, "ascending"}, descending{emulator::WaveOrder::Descending, 0, "descending"},
      seeded{emulator::WaveOrder::Seeded, seed, "seeded"};
  if (name == "all")
    return {ascending, descending, seeded};
  if (name == "ascending")
    return {ascending};
  if (name == "descending")
    return {descending};
  if (name == "seeded")
    return {seeded};
  return {};
}

/// One check with one choice of its parameters.
class CheckRun {
public:
  CheckRun(ArchCompilation &compilation, EmulatorRunner &runner, const sema::CheckDefinition &check)
      : compilation(compilation), runner(runner), check(check) {}

  bool run(const std::vector<std::pair<std::string, sema::Value>> &parameters, const std::string &title, bool quiet) {
    auto &elaborator = compilation.elaborator;
    auto &diags = compilation.session.diags;
    runner.failures.clear();
    auto start = std::chrono::steady_clock::now();
    unsigned errors = elaborator.failures;
    auto outer = elaborator.frame;
    elaborator.frame = std::make_shared<sema::Frame>();
    elaborator.frame->module = check.module;
    elaborator.runner = &runner;
    try {
      sema::Arguments arguments;
      for (auto &[name, value] : parameters)
        arguments.push_back({name, value, check.def->nameRange});
      elaborator.callFunction(sema::FunctionValue{check.def, nullptr, nullptr, check.module}, std::move(arguments), check.def->nameRange);
    } catch (sema::Failed &) {
      ++elaborator.failures;
    }
    elaborator.runner = nullptr;
    elaborator.frame = outer;
    elaborator.fatal = false;
    bool ok = runner.failures.empty() && elaborator.failures == errors;
    double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (!quiet || !ok)
      llvm::outs() << (ok ? "ok    " : "FAIL  ") << title << llvm::format("  (%.0f ms)\n", ms);
    for (auto &failure : runner.failures) {
      llvm::StringRef rest = failure;
      while (!rest.empty()) {
        auto [line, next] = rest.split('\n');
        llvm::outs() << "      " << line << '\n';
        rest = next;
      }
    }
    llvm::outs().flush();
    diags.flush(llvm::errs());
    return ok;
  }

private:
  ArchCompilation &compilation;
  EmulatorRunner &runner;
  const sema::CheckDefinition &check;
};

} // namespace

int test(const Options &options, const TestCommand &command) {
  Session session(options);
  auto orders = ordersOf(command.order, command.seed);
  if (orders.empty()) {
    session.diags.report(diag::bad_option, {}).arg("--order=" + command.order).arg("there are all, ascending, descending, seeded");
    session.finish();
    return 2;
  }
  if (!session.open(command.path)) {
    session.finish();
    return 2;
  }
  unsigned passed = 0, failed = 0;
  for (auto &name : command.archs) {
    auto *target = target::find(name);
    if (!target) {
      session.diags.report(diag::unknown_arch, {}).arg(name).arg("").help("targets: " + target::names());
      session.finish();
      return 2;
    }
    ArchCompilation compilation(session, *target);
    if (!compilation.run()) {
      session.finish();
      return 2;
    }
    EmulatorRunner runner(compilation, orders);
    for (auto &check : compilation.main->checks) {
      if (!command.only.empty() && check.def->name != command.only)
        continue;
      try {
        if (auto why = sema::notForTarget(compilation.elaborator, check.arch, check.module)) {
          if (!command.quiet)
            llvm::outs() << "skip  " << target->name << "  " << check.def->name << ": it is " << *why << '\n';
          continue;
        }
      } catch (sema::Failed &) {
        ++failed;
        session.finish();
        continue;
      }
      // The product of the parameters' lists, the last one fastest.
      std::vector<sema::Values> lists;
      try {
        auto outer = compilation.elaborator.frame;
        compilation.elaborator.frame = std::make_shared<sema::Frame>();
        compilation.elaborator.frame->module = check.module;
        for (auto &[parameter, expr] : check.parameters) {
          lists.push_back(compilation.elaborator.iterate(compilation.elaborator.eval(*expr), expr->range, "`@check`"));
          if (lists.back().empty())
            compilation.elaborator.fail(diag::wrong_value, expr->range, {"the list of `" + parameter + "`", "not empty", "empty"});
        }
        compilation.elaborator.frame = outer;
      } catch (sema::Failed &) {
        ++failed;
        session.finish();
        continue;
      }
      std::vector<size_t> at(lists.size(), 0);
      for (bool more = true; more;) {
        std::vector<std::pair<std::string, sema::Value>> parameters;
        std::string title = std::string(target->name) + "  " + check.def->name;
        for (size_t i = 0; i < lists.size(); ++i) {
          parameters.push_back({check.parameters[i].first, lists[i][at[i]]});
          title += " " + check.parameters[i].first + "=" + sema::toText(lists[i][at[i]], true);
        }
        (CheckRun(compilation, runner, check).run(parameters, title, command.quiet) ? passed : failed) += 1;
        more = false;
        for (size_t i = lists.size(); i-- > 0 && !more;) {
          if (++at[i] < lists[i].size())
            more = true;
          else
            at[i] = 0;
        }
      }
    }
  }
  if (passed + failed == 0) {
    session.diags.report(diag::no_checks, {}).arg(session.mainPath).arg(command.only.empty() ? "" : " named `" + command.only + "`");
    session.finish();
    return 2;
  }
  llvm::outs() << passed << " passed, " << failed << " failed\n";
  if (command.time)
    session.times.print(llvm::errs());
  return failed ? 1 : 0;
}

} // namespace fly::driver
