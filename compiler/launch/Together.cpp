// See Together.h.
#include "compiler/launch/Together.h"

namespace fly::driver {

namespace {
constexpr size_t devicesAtMost = 16;
}

void Together::add(const sema::KernelValue &kernel, sema::Arguments arguments, SourceRange at) {
  if (launches.size() == devicesAtMost)
    runner.mismatch("more than " + std::to_string(devicesAtMost) + " launches at once", at);
  if (runner.gpu || runner.counts)
    runner.mismatch("launches at once run in checks on the emulator alone", at);
  auto next =
      std::make_unique<Launch>(runner, runner.planOf(kernel, at), *kernel.kernel->def, std::move(arguments), at);
  auto &run = next->run;
  run.shared = &arrays;
  run.readScalars();
  if (!run.check())
    return; // refused, as expected
  if (runner.planned) {
    run.tellPlanned();
    return;
  }
  run.makeBuffers();
  run.makeWorkspace();
  run.fillArguments();
  launches.push_back(std::move(next));
}

bool Together::runSteps(const Order &order, bool isLast) {
  size_t steps = 0;
  for (auto &launch : launches) {
    launch->run.putAll(/*inputs=*/std::exchange(launch->run.hasInputs, true) == false);
    steps = std::max(steps, launch->run.steps.size());
  }
  for (size_t k = 0; k < steps; ++k) {
    std::vector<emulator::DeviceLaunch> now;
    std::pair<CheckRunner::Run *, CheckRunner::Run::Step *> first;
    for (size_t device = 0; device < launches.size(); ++device) {
      auto &run = launches[device]->run;
      if (k >= run.steps.size())
        continue;
      auto &step = run.steps[k];
      if (step.info->fill) {
        run.fill(step);
        continue;
      }
      if (llvm::is_contained(step.config.grid, 0u))
        continue;
      run.configure(step, order, isLast);
      step.config.label += " (device " + std::to_string(device) + ")";
      if (now.empty())
        first = {&run, &step};
      now.push_back({*step.code->module, step.code->info.symbol, step.config, step.kernargs, unsigned(device)});
    }
    if (now.empty())
      continue;
    auto result = runner.device->launchTogether(now);
    if (!first.first->accept(result, *first.second, order))
      return false;
  }
  return true;
}

Together::Lefts Together::contents() {
  Lefts all;
  for (auto &launch : launches)
    all.push_back(launch->run.contents());
  return all;
}

void Together::run() {
  if (launches.empty() || runner.expectedRefusal)
    return;
  auto &orders = runner.settings.orders;
  Lefts first;
  for (auto &order : orders) {
    if (!runSteps(order, &order == &orders.back()))
      return;
    Lefts now = contents();
    if (&order == &orders.front()) {
      first = std::move(now);
      continue;
    }
    for (size_t k = 0; k < launches.size(); ++k)
      if (auto [one, other] = std::mismatch(first[k].begin(), first[k].end(), now[k].begin()); one != first[k].end())
        runner.mismatch("the contents of `" + launches[k]->run.buffers[size_t(one - first[k].begin())].name +
                            "` of device " + std::to_string(k) + " depend on the order in which waves run (" +
                            orders.front().name + " and " + order.name + " differ)",
                        range);
  }
  for (size_t k = 0; k < launches.size(); ++k)
    launches[k]->run.takeResults(std::move(first[k]));
}

void CheckRunner::beginTogether(SourceRange range) { together = std::make_unique<Together>(*this, range); }

void CheckRunner::endTogether(bool runs) {
  auto all = std::move(together);
  if (runs)
    all->run();
}

} // namespace fly::driver
