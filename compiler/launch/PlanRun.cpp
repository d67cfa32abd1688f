// A launch in a check runs: its steps once for each order of waves; then results are read back.
#include "compiler/launch/PlanRun.h"
#include "compiler/launch/Together.h"

namespace fly::driver {

using sema::Failed;

void CheckRunner::Run::putAll(bool inputs) {
  // Workgroups that are not executed leave gaps, where a later kernel may find its indices: 0 is in range, poison is
  // not.
  const bool gapsAreZero = runner.timing && runner.timing->sample;
  for (auto &buffer : buffers) {
    if (!inputs && buffer.isInput)
      continue;
    if (gapsAreZero && buffer.array->isPoisoned(0)) {
      runner.zero(buffer.address, buffer.bytes, range);
      continue;
    }
    if (buffer.initial) {
      runner.write(buffer.address, *buffer.initial, range);
      continue;
    }
    runner.zero(buffer.address, buffer.bytes, range);
    host::forPieces(*buffer.array, [&](uint64_t offset, llvm::StringRef piece) {
      runner.write(buffer.address + offset, piece, range);
    });
  }
  for (auto &table : tables)
    runner.write(table.address, table.addresses, range);
  for (auto &part : parts)
    if (gapsAreZero)
      runner.zero(part.address, part.initial.size(), range);
    else
      runner.write(part.address, part.initial, range);
}

bool CheckRunner::Run::launchOnGpu() {
  for (auto &step : steps) {
    if (step.info->fill) {
      auto [address, bytes] = filled(step);
      if (!runner.gpu->fill(address, step.info->fill->value, bytes))
        return false;
    } else if (!runner.gpu->launch(step.code->codeObject, step.code->info.symbol, step.config.grid, step.config.block,
                                   step.config.dynamicLdsBytes, step.kernargs)) {
      return false;
    }
  }
  return true;
}

std::vector<CheckRunner::Run::Left> CheckRunner::Run::runOnGpu() {
  putAll(/*inputs=*/true);
  if (!runner.measured) {
    if (!launchOnGpu() || !runner.gpu->synchronize())
      runner.gpuFailed(range);
  } else {
    auto times = runner.gpu->measure(
        runner.repetitions.warmUp, runner.repetitions.repeat,
        [&] {
          putAll(/*inputs=*/false);
          return true;
        },
        [&] { return launchOnGpu(); });
    if (!times)
      runner.gpuFailed(range);
    std::string title = name(), constants;
    if (steps.size() == 1 && steps.front().code)
      for (auto &[constant, value] : steps.front().code->info.constants)
        constants += (constants.empty() ? "" : ", ") + constant + "=" + value;
    runner.measured->push_back({title + (constants.empty() ? "" : "[" + constants + "]"), std::move(*times)});
  }
  return contents();
}

LaunchReference CheckRunner::Run::referenceOf(const Step &step) {
  std::vector<ReachedArea> areas;
  for (auto &buffer : buffers)
    areas.push_back({buffer.address, buffer.bytes, buffer.name, host::format(buffer.number).name});
  for (auto &table : tables)
    areas.push_back({table.address, table.addresses.size(), "a table of pointers", "u8"});
  for (auto &part : parts)
    areas.push_back({part.address, part.initial.size(), "a part of the workspace", "u8"});
  return {
      {*runner.device, *step.code->module, step.code->info.label, step.code->info.symbol, step.config, step.kernargs},
      step.code->reference,
      runner.compilation.target,
      std::move(areas),
      runner.settings.referenceSeconds};
}

void CheckRunner::Run::configure(Step &step, const Order &order, bool isLast) {
  step.config.label = step.code->info.label;
  step.config.order = order.order;
  step.config.seed = order.seed;
  step.config.checks = runner.settings.checks;
  // What these find does not depend on the order, and together they are slow.
  if (&order != &runner.settings.orders.front())
    step.config.checks.races = emulator::CheckMode::Off;
  if (!isLast)
    step.config.checks.init = emulator::CheckMode::Off;
  step.config.only = runner.onlyWorkgroups;
  step.config.instructionLimit = runner.settings.instructionLimit;
  if (runner.settings.threads)
    step.config.threads = runner.settings.threads;
}

void CheckRunner::Run::fill(const Step &step) {
  auto [address, bytes] = filled(step);
  if (!runner.device->fill(address, step.info->fill->value, bytes))
    runner.mismatch("launch refused: there are no " + std::to_string(bytes) + " bytes of memory for `" +
                        step.info->name + "` to fill",
                    range);
}

bool CheckRunner::Run::accept(emulator::LaunchResult &result, const Step &step, const Order &order) {
  runner.waveInstructions += result.waveInstructions;
  runner.findings.merge(result.findings);
  if (runner.expectedFault && !result.ok &&
      (result.report.text() + result.output).find(*runner.expectedFault) != std::string::npos) { // or an `assert`'s
    runner.faulted = true;
    return false;
  }
  if (runner.expectedFault && !result.ok)
    result.report.notes.push_back("`expect_fault` waits for a fault of `" + *runner.expectedFault + "`");
  if (prints && &order == &runner.settings.orders.front()) // once, not for each order
    llvm::outs() << result.output;
  if (result.report.kind == emulator::FaultKind::Runaway)
    result.report.notes.push_back("`--limit N` sets another limit");
  if (result.report.kind == emulator::FaultKind::BadLaunch)
    return refuse(step.info->name, result.report.text());
  if (!result.ok)
    runner.mismatch(result.report.text(), range);
  return true;
}

static bool isEmpty(const emulator::LaunchConfig &config) {
  return config.grid[0] == 0 || config.grid[1] == 0 || config.grid[2] == 0;
}

bool CheckRunner::Run::eachLaunch(llvm::function_ref<bool(Step &)> launch) {
  for (auto &step : steps)
    if (step.info->fill)
      fill(step);
    else if (!isEmpty(step.config) && !launch(step))
      return false;
  return true;
}

bool CheckRunner::Run::runSteps(const Order &order, bool isLast) {
  putAll(/*inputs=*/std::exchange(hasInputs, true) == false); // which no kernel changes
  return eachLaunch([&](Step &step) {
    configure(step, order, isLast);
    emulator::Profile profile;
    step.config.profile = runner.counts ? &profile : nullptr;
    std::optional<emulator::Timing> timing;
    if (runner.counts && runner.timing)
      timing.emplace().options = *runner.timing;
    step.config.timing = timing ? &*timing : nullptr;
    std::optional<LaunchReference> reference;
    if (runner.settings.referenceSeconds > 0 && &order == &runner.settings.orders.front() && !runner.counts)
      reference.emplace(referenceOf(step));
    auto result = runner.device->launch(*step.code->module, step.code->info.symbol, step.config, step.kernargs);
    if (!accept(result, step, order))
      return false;
    if (reference)
      if (const std::string difference = reference->difference(runner.reference); !difference.empty())
        runner.mismatch(difference, range);
    if (runner.counts)
      runner.countLaunch(*step.code, std::move(profile), std::move(timing));
    return true;
  });
}

LaunchCounts &CheckRunner::countLaunch(const Loaded &code, emulator::Profile profile,
                                       std::optional<emulator::Timing> modelled) {
  std::string constants;
  for (auto &[constant, value] : code.info.constants)
    constants += (constants.empty() ? "" : ", ") + constant + "=" + value;
  counts->push_back({&code.info, std::move(constants), std::move(profile), std::move(modelled), &code.promises});
  return counts->back();
}

std::vector<CheckRunner::Run::Left> CheckRunner::Run::contents() {
  std::vector<Left> all(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    auto &buffer = buffers[i];
    if (buffer.isInput)
      continue;
    const void *memory = buffer.initial || runner.gpu || asBytes || !buffer.bytes
                             ? nullptr
                             : runner.device->hostPointer(buffer.address, buffer.bytes);
    if (memory) {
      auto &array = *buffer.array;
      all[i].elements.emplace(array.type, array.kind, array.size()).readFrom(static_cast<const char *>(memory));
    } else {
      all[i].bytes.resize(buffer.bytes);
      runner.read(buffer.address, all[i].bytes, range);
    }
  }
  return all;
}

bool CheckRunner::Run::runEach(bool compare, std::vector<Left> &first, std::optional<Difference> &difference) {
  difference.reset();
  for (auto &order : runner.settings.orders) {
    if (!runSteps(order, !compare || &order == &runner.settings.orders.back()))
      return false;
    auto now = contents();
    if (&order == &runner.settings.orders.front())
      first = std::move(now);
    else if (auto [one, other] = std::mismatch(first.begin(), first.end(), now.begin());
             one != first.end() && !runner.anyOrder) {
      difference = {size_t(one - first.begin()), &order};
      return true;
    }
    if (!compare)
      break;
  }
  return true;
}

std::optional<std::vector<CheckRunner::Run::Left>> CheckRunner::Run::runOrders() {
  bool severalWaves = llvm::any_of(steps, [&](auto &step) { // that may wait for each other
    if (step.info->fill)
      return false;
    auto &block = step.config.block;
    auto &cluster = step.code->info.cluster;
    return uint64_t(block[0]) * block[1] * block[2] > runner.compilation.target.waveSize ||
           cluster[0] * cluster[1] * cluster[2] > 1;
  });
  std::vector<Left> first;
  std::optional<Difference> difference;
  const bool compare = severalWaves && !runner.counts;
  if (!runEach(compare, first, difference))
    return std::nullopt;
  // or only the order in which workgroups came, on several host threads: on one that is always the same
  if (difference) {
    prints = false;
    for (auto &step : steps)
      step.config.threads = 1;
    if (!runEach(compare, first, difference))
      return std::nullopt;
  }
  if (difference)
    runner.mismatch("the contents of `" + buffers[difference->buffer].name +
                        "` depend on the order in which waves run (" + runner.settings.orders.front().name + " and " +
                        difference->order->name + " differ): a barrier is missing or in the wrong place",
                    range);
  return first;
}

host::HostArray CheckRunner::Run::arrayOf(const Buffer &buffer, Left &left) {
  if (left.elements)
    return host::fromHeld(std::move(*left.elements), buffer.number, buffer.shape);
  auto result = host::fromBytes(left.bytes, buffer.number, buffer.shape, buffer.strides);
  if (!result.ok())
    runner.mismatch("`" + buffer.name + "`: " + result.error, range);
  return std::move(result.value);
}

void CheckRunner::Run::takeResults(std::vector<Left> left) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    auto &buffer = buffers[i];
    if (buffer.isInput)
      continue;
    const host::Shape shape = buffer.array->shape;
    const bool isHeld = left[i].elements.has_value();
    *buffer.array = arrayOf(buffer, left[i]);
    if (!isHeld && buffer.array->shape != shape)
      *buffer.array = host::reshape(*buffer.array, shape).value;
  }
}

bool CheckRunner::Run::prepare() {
  readScalars();
  if (!check())
    return false; // refused, as expected
  if (runner.planned) {
    tellPlanned();
    return false;
  }
  makeBuffers();
  makeWorkspace();
  fillArguments();
  return !runner.expectedRefusal; // else it was not refused, and there is nothing to run
}

void CheckRunner::launch(const sema::KernelValue &kernel, sema::Arguments arguments, SourceRange range) {
  if (auto why = sema::notForTarget(compilation.elaborator, *kernel.kernel))
    throw NotForTarget{describe(sema::Value(kernel)) + " is " + *why};
  ++launches;
  if (together) {
    together->add(kernel, std::move(arguments), range);
    return;
  }
  if (gpu && onBoth) {
    launchOnBoth(kernel, arguments, range);
    return;
  }
  Run run(*this, planOf(kernel, range), *kernel.kernel->def, arguments, range);
  if (!run.prepare())
    return;
  if (gpu && !run.needsEmulator().empty())
    throw NotForTarget{run.needsEmulator()};
  if (gpu)
    run.takeResults(run.runOnGpu());
  else if (auto left = run.runOrders())
    run.takeResults(std::move(*left));
}

} // namespace fly::driver
