// `flyc test --device both`: a launch on the emulator and on a GPU, and where they leave other bits.
//
// The emulator's run comes first, with its checks: what it finds wrong does not reach the GPU. Of a difference, the
// first element is told with both values, and which store of the emulator's run put it there: the launch runs once
// more, with an observer of the element's address.
#include "compiler/launch/PlanRun.h"
#include "runtime/emulator/launch/LastStore.h"

#include "llvm/ADT/ScopeExit.h"

namespace fly::driver {

std::string CheckRunner::Run::needsEmulator() const {
  if (runner.expectedFault)
    return "it expects a fault, which only the emulator finds";
  for (auto &step : steps)
    if (step.code && step.code->info.cluster != std::array<uint32_t, 3>{1, 1, 1})
      return "`" + step.code->info.label + "` has clusters, which the runtime does not launch";
  return "";
}

void CheckRunner::launchOnBoth(const sema::KernelValue &kernel, const sema::Arguments &arguments, SourceRange range) {
  const Plan &plan = planOf(kernel, range);
  GpuDevice *const there = std::exchange(gpu, nullptr);
  llvm::scope_exit restore([&] { gpu = there; });
  Run here(*this, plan, *kernel.kernel->def, arguments, range);
  here.asBytes = true;
  if (!here.prepare())
    return;
  auto onEmulator = here.runOrders();
  if (!onEmulator)
    return; // with the fault that the check expects
  if (!here.needsEmulator().empty())
    return here.takeResults(std::move(*onEmulator));

  auto onGpu = [&]() -> std::optional<std::vector<Run::Left>> {
    gpu = there;
    llvm::scope_exit leave([&] { gpu = nullptr; }); // after `run`, whose memory is the GPU's
    Run run(*this, plan, *kernel.kernel->def, arguments, range);
    if (!run.prepare())
      return std::nullopt;
    return run.runOnGpu();
  }();
  if (!onGpu)
    return;
  if (std::string text = here.difference(*onEmulator, *onGpu); !text.empty())
    differences.push_back(place(range) + ": " + text);
  here.takeResults(std::move(*onGpu)); // of the same arrays
}

std::string CheckRunner::Run::difference(std::vector<Left> &onEmulator, std::vector<Left> &onGpu) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const std::string &here = onEmulator[i].bytes, &there = onGpu[i].bytes;
    if (here == there)
      continue;
    const Buffer &buffer = buffers[i];
    const auto comparison =
        host::compareEqual(arrayOf(buffer, onGpu[i]), arrayOf(buffer, onEmulator[i]), buffer.number);
    uint64_t offset =
        uint64_t(std::mismatch(here.begin(), here.end(), there.begin(), there.end()).first - here.begin());
    std::string text = "the GPU leaves other bits in `" + buffer.name + "` than the emulator\n";
    if (comparison.ok())
      text += "  the values are equal: signs of zeros, or bits of NaNs; the first is at byte " +
              std::to_string(offset) + "\n";
    else {
      text += host::describe(comparison);
      int64_t element = 0;
      for (size_t axis = 0; axis < buffer.strides.size() && axis < comparison.first.front().index.size(); ++axis)
        element += comparison.first.front().index[axis] * buffer.strides[axis];
      offset = uint64_t(element) * host::memoryBits(host::format(buffer.number)) / 8;
    }
    return text + origin(buffer, offset);
  }
  return "";
}

std::string CheckRunner::Run::origin(const Buffer &buffer, uint64_t offset) {
  emulator::LastStore last(buffer.address + offset);
  putAll(/*inputs=*/false);
  (void)eachLaunch([&](Step &step) {
    auto config = step.config;
    config.order = emulator::WaveOrder::Ascending;
    config.checks = {};
    config.profile = nullptr;
    config.timing = nullptr;
    config.observers = &last.rows;
    config.threads = 1;
    (void)runner.device->launch(*step.code->module, step.code->info.symbol, config, step.kernargs);
    return true;
  });
  if (!last.report())
    return "  no store of the emulator's run reaches the first of them\n";
  std::string text = "  the emulator stored the first of them here: kernel `" + last.report()->kernel + "`\n";
  for (const std::string &line : last.report()->details())
    text += "    " + line + "\n";
  return text;
}

} // namespace fly::driver
