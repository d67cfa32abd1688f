// Builds that check themselves, see Validation.h.
#include "compiler/launch/Validation.h"

#include "compiler/launch/Cases.h"
#include "compiler/launch/CheckRunner.h"
#include "compiler/launch/EmulatorOptions.h"

namespace fly::driver {

namespace {

using Clock = std::chrono::steady_clock;

class Validator {
public:
  Validator(ArchCompilation &compilation, CheckRunner &runner, Clock::time_point end)
      : compilation(compilation), runner(runner), end(end) {}

  void run(Validation &result) {
    for (auto &check : compilation.main->checks) {
      std::string elsewhere;
      if (check.isBench)
        continue;
      auto cases = casesOf(compilation, check, elsewhere);
      for (auto &each : cases ? *cases : std::vector<Case>()) {
        if (Clock::now() > end) {
          isOver = true;
          return;
        }
        runner.failures.clear();
        const uint64_t before = runner.reference.differences;
        if (!runCase(compilation, runner, each) && runner.reference.differences == before)
          failing.insert(check.def->name);
        if (runner.reference.differences != before)
          for (auto &failure : runner.failures)
            result.differences.push_back(each.title + "\n" + failure);
      }
    }
  }

  /// Why an instance was not compared.
  std::string reasonFor(const std::string &label) const {
    for (auto &[reason, times] : runner.reference.reasons)
      if (reason.first == label)
        return reason.second;
    if (isOver)
      return "the budget of time ended before a check launched it";
    if (!failing.empty())
      return "no check launches it; `" + *failing.begin() + "` fails before its end (`flyc test` says why)";
    return "no check launches it";
  }

private:
  ArchCompilation &compilation;
  CheckRunner &runner;
  Clock::time_point end;
  bool isOver = false;
  std::set<std::string> failing; ///< checks that ended otherwise
};

} // namespace

Validation validate(Session &session, const ArchBuild &build, double seconds) {
  const auto end = Clock::now() + std::chrono::microseconds(int64_t(seconds * 1e6));
  Validation result;
  session.diags.suspend();
  ArchCompilation compilation(session, build.target());
  if (compilation.run()) {
    RunnerSettings settings({{emulator::WaveOrder::Ascending, 0, "ascending"}}, EmulatorOptions());
    settings.referenceSeconds = seconds;
    CheckRunner runner(compilation, std::move(settings));
    Validator validator(compilation, runner, end);
    validator.run(result);
    for (auto &instance : build.info.instances)
      if (runner.reference.kernels.count(instance.label))
        ++result.compared;
      else
        result.open.push_back("not validated: `" + instance.label + "` for " + std::string(build.target().name) + ": " +
                              validator.reasonFor(instance.label));
  }
  session.diags.resume();
  return result;
}

} // namespace fly::driver
