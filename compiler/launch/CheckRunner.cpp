// Code and plans for the launches of a check: compiled, loaded and kept by instance. And the verdicts.
#include "compiler/launch/CheckRunner.h"

#include "compiler/launch/Together.h"
#include "compiler/launch/EmulatorOptions.h"
#include "compiler/sema/value/Key.h"

#include "runtime/emulator/timing/Machine.h"

namespace fly::driver {

using sema::Failed;

RunnerSettings::RunnerSettings(std::vector<Order> orders, const EmulatorOptions &options)
    : orders(std::move(orders)), checks(checksOf(options)), computeUnits(options.computeUnits) {}

CheckRunner::CheckRunner(ArchCompilation &compilation, RunnerSettings settings)
    : compilation(compilation), settings(std::move(settings)),
      arch(emulator::findArchitecture(compilation.target.name)), device(std::make_unique<emulator::Device>(*arch)) {}

CheckRunner::~CheckRunner() = default;

int64_t CheckRunner::computeUnits() const {
  if (gpu)
    return gpu->computeUnits();
  if (settings.computeUnits)
    return settings.computeUnits;
  if (timing)
    if (auto machine = timing->machine ? timing->machine : emulator::machineOf(compilation.target.name))
      return int64_t(machine->xcds * machine->computeUnits);
  return emulator::defaultComputeUnits;
}

std::string CheckRunner::place(SourceRange range) const {
  auto &sources = compilation.session.sources;
  auto at = sources.lineColumn(range.file, range.begin);
  return sources.name(range.file).str() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

std::vector<CheckRunner::Told> CheckRunner::takeFindings() {
  std::vector<Told> told;
  for (auto &[where, finding] : findings)
    if (known.insert(where).second)
      told.push_back({finding.isNote(), (finding.isNote() ? "note: " : "warning: ") + finding.text()});
  if (findings.others)
    told.push_back({false, "warning: " + furtherFindings(findings) + "\n"});
  findings = {};
  return told;
}

void CheckRunner::mismatch(std::string reason, SourceRange range) {
  failures.push_back(place(range) + ": " + reason);
  compilation.elaborator.fatal = true; // nothing after it is meaningful; the next check starts afresh
  throw Failed{};
}

void CheckRunner::expectation(const host::Comparison &comparison, SourceRange range) {
  ++expectations;
  if (planned)
    return; // nothing has run
  maxUlps = std::max(maxUlps, comparison.maxUlps);
  maxError = std::max(maxError, comparison.maxError);
  if (comparison.ok())
    return;
  // The check continues, to show further differences up to a limit.
  if (failures.size() == 8)
    mismatch("the check ends here: more than 8 results differ", range);
  failures.push_back(
      place(range) + ": " +
      (comparison.error.empty() ? "the result differs\n" + host::describe(comparison) : comparison.error));
}

host::Work CheckRunner::work(llvm::StringRef what) {
  if (!onProgress)
    return {};
  return {0, [this, what = what.str()](double share) {
            onProgress(what + ", " + std::to_string(int(100 * share)) + " %");
          }};
}

void CheckRunner::gpuFailed(SourceRange range) {
  const std::string reason = gpu->name() + ": " + gpu->error();
  gpu->probe();
  mismatch(reason, range);
}

uint64_t CheckRunner::allocate(uint64_t bytes, const std::string &what) {
  return gpu ? gpu->allocate(bytes) : device->allocate(bytes, what, emulator::Device::Contents::Zero);
}

void CheckRunner::free(uint64_t address) {
  if (gpu)
    (void)gpu->free(address);
  else
    device->free(address);
}

void CheckRunner::zero(uint64_t address, uint64_t bytes, SourceRange range) {
  if (!gpu)
    device->fill(address, 0, bytes);
  else if (bytes && !gpu->fill(address, 0, bytes))
    gpuFailed(range);
}

void CheckRunner::write(uint64_t address, llvm::StringRef bytes, SourceRange range) {
  if (bytes.empty())
    return;
  if (!gpu)
    device->write(address, bytes.data(), bytes.size());
  else if (!gpu->write(address, bytes.data(), bytes.size()))
    gpuFailed(range);
}

void CheckRunner::read(uint64_t address, std::string &bytes, SourceRange range) {
  if (!gpu)
    device->read(address, bytes.data(), bytes.size());
  else if (!gpu->read(address, bytes.data(), bytes.size()))
    gpuFailed(range);
}

const CheckRunner::Loaded &CheckRunner::loaded(const sema::KernelValue &kernel, SourceRange range) {
  auto &elaborator = compilation.elaborator;
  auto constants = sema::resolveConstants(elaborator, kernel, range);
  std::string key = sema::instanceKey(elaborator.diags.sources, *kernel.kernel, constants);
  if (auto found = cache.find(key); found != cache.end())
    return found->second;
  Keep keep;
  keep.reference = settings.referenceSeconds > 0;
  auto compiled = compilation.compile(kernel, sema::instanceSymbol(elaborator, kernel, range), range, keep);
  if (!compiled)
    throw Failed{};
  std::string hsaco = compilation.link({compiled.get()}, {}, compiled->info.symbol);
  if (hsaco.empty())
    throw Failed{};
  std::string error;
  auto module = device->load(hsaco, error);
  if (!module)
    mismatch("the emulator refuses the code object of `" + compiled->info.label + "`: " + error, range);
  return cache[key] = Loaded{std::move(compiled->info), std::move(module), std::move(compiled->promises),
                             std::move(compiled->reference), planned || gpu ? std::move(hsaco) : std::string()};
}

/// A kernel's launch as a plan: one step, which passes on every parameter.
static artifact::LaunchInfo singleStep(const artifact::InstanceInfo &kernel, const std::string &name) {
  artifact::LaunchInfo plan;
  plan.function = name;
  plan.parameters = kernel.parameters;
  plan.fields = kernel.fields;
  artifact::StepInfo step;
  step.name = name;
  step.requirements = kernel.requirements;
  step.grid = kernel.grid;
  step.block = kernel.block;
  step.dynamicLds = kernel.dynamicLds;
  for (unsigned i = 0; i < kernel.parameters.size(); ++i)
    step.arguments.push_back({artifact::ArgumentInfo::Parameter, nullptr, i});
  plan.steps.push_back(std::move(step));
  return plan;
}

const CheckRunner::Plan &CheckRunner::planOf(const sema::KernelValue &kernel, SourceRange range) {
  try {
    return makePlan(kernel, range);
  } catch (Failed &) {
    compilation.elaborator.fatal = true; // what does not compile did not run: its results mean nothing
    throw;
  }
}

const CheckRunner::Plan &CheckRunner::makePlan(const sema::KernelValue &kernel, SourceRange range) {
  auto &elaborator = compilation.elaborator;
  auto constants = sema::resolveConstants(elaborator, kernel, range);
  std::string key = sema::instanceKey(elaborator.diags.sources, *kernel.kernel, constants);
  if (auto found = plans.find(key); found != plans.end())
    return found->second;
  Plan plan;
  if (!kernel.kernel->isLaunch) {
    auto &code = loaded(kernel, range);
    plan = {singleStep(code.info, kernel.kernel->name), {&code}};
    return plans[key] = std::move(plan);
  }
  auto made = sema::planLaunch(elaborator, kernel, range);
  plan.info = std::move(made.info);
  for (auto &step : plan.info.steps) {
    auto needed = llvm::find_if(made.kernels, [&](auto &k) { return k.key == step.kernel; });
    plan.steps.push_back(step.fill ? nullptr : &loaded(needed->kernel, needed->range));
  }
  return plans[key] = std::move(plan);
}

} // namespace fly::driver
