// See Together.h.
#include "compiler/launch/Together.h"

#include "llvm/ADT/ScopeExit.h"

namespace fly::driver {

namespace {
constexpr size_t devicesAtMost = 16;
}

void Together::add(const sema::KernelValue &kernel, sema::Arguments arguments, SourceRange at) {
  if (launches.size() == devicesAtMost)
    runner.mismatch("more than " + std::to_string(devicesAtMost) + " launches at once", at);
  if (runner.gpu)
    runner.mismatch("launches at once run on the emulator alone", at);
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

std::vector<emulator::OwnedMemory> Together::owners() const {
  std::map<uint64_t, emulator::OwnedMemory> byAddress;
  for (unsigned device = 0; device < launches.size(); ++device) {
    for (auto &buffer : launches[device]->run.buffers)
      if (buffer.bytes)
        byAddress.try_emplace(buffer.address, emulator::OwnedMemory{buffer.address, buffer.bytes, device});
    for (auto &part : launches[device]->run.parts)
      byAddress.try_emplace(part.address, emulator::OwnedMemory{part.address, part.initial.size(), device});
  }
  for (auto &launch : launches)
    for (auto &table : launch->run.tables)
      for (unsigned k = 0; k < launches.size() && table.addresses.size() == 8 * launches.size(); ++k) {
        uint64_t address;
        std::memcpy(&address, &table.addresses[8 * k], 8);
        if (auto found = byAddress.find(address); found != byAddress.end())
          found->second.device = k;
      }
  std::vector<emulator::OwnedMemory> all;
  for (auto &[address, owned] : byAddress)
    all.push_back(owned);
  return all;
}

void Together::count(const std::vector<emulator::DeviceLaunch> &now,
                     const std::vector<const CheckRunner::Loaded *> &codes, std::vector<emulator::Profile> &profiles) {
  std::optional<emulator::LinkTiming> links;
  auto machine = runner.timing && runner.timing->machine ? runner.timing->machine
                                                         : emulator::machineOf(runner.compilation.target.name);
  if (runner.timing && machine && now.size() > 1) {
    std::vector<std::vector<emulator::MovedBytes>> moved(profiles.size());
    for (auto &launch : now)
      moved[launch.device] = profiles[launch.device].moved;
    links = emulator::modelLinks(*machine, moved);
  }
  for (size_t k = 0; k < now.size(); ++k) {
    auto &counts = runner.countLaunch(*codes[k], std::move(profiles[now[k].device]), std::nullopt);
    counts.together = unsigned(now.size());
    counts.device = now[k].device;
    if (k == 0)
      counts.links = links;
  }
}

bool Together::runSteps(const Order &order, bool isLast) {
  size_t steps = 0;
  for (auto &launch : launches) {
    launch->run.putAll(/*inputs=*/std::exchange(launch->run.hasInputs, true) == false);
    steps = std::max(steps, launch->run.steps.size());
  }
  const auto owned = runner.counts ? owners() : std::vector<emulator::OwnedMemory>{};
  for (size_t k = 0; k < steps; ++k) {
    std::vector<emulator::DeviceLaunch> now;
    std::vector<const CheckRunner::Loaded *> codes;
    std::vector<emulator::Profile> profiles(launches.size());
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
      step.config.profile = runner.counts ? &profiles[device] : nullptr;
      step.config.owned = runner.counts ? &owned : nullptr;
      codes.push_back(step.code);
      now.push_back({*step.code->module, step.code->info.symbol, step.config, step.kernargs, unsigned(device)});
    }
    if (now.empty())
      continue;
    auto result = runner.device->launchTogether(now);
    if (!first.first->accept(result, *first.second, order))
      return false;
    if (runner.counts)
      count(now, codes, profiles);
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
      if (runner.counts)
        break;
      continue;
    }
    for (size_t k = 0; k < launches.size() && !runner.anyOrder; ++k)
      if (auto [one, other] = std::mismatch(first[k].begin(), first[k].end(), now[k].begin()); one != first[k].end())
        runner.mismatch("the contents of `" + launches[k]->run.buffers[size_t(one - first[k].begin())].name +
                            "` of device " + std::to_string(k) + " depend on the order in which waves run (" +
                            orders.front().name + " and " + order.name + " differ)",
                        range);
  }
  for (size_t k = 0; k < launches.size(); ++k)
    launches[k]->run.takeResults(std::move(first[k]));
}

void CheckRunner::beginTogether(SourceRange range) {
  if (gpu && !onBoth)
    throw NotForTarget{"launches that run at once need the emulator"};
  withoutGpu = std::exchange(gpu, nullptr);
  together = std::make_unique<Together>(*this, range);
}

void CheckRunner::endTogether(bool runs) {
  auto all = std::move(together);
  llvm::scope_exit restore([&] { gpu = std::exchange(withoutGpu, nullptr); });
  if (runs)
    all->run();
}

} // namespace fly::driver
