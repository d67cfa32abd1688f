// The microbenchmarks on the time model: the same kernels and launches as on a GPU, with an exact clock.
#include "compiler/calibrate/Calibration.h"

#include "compiler/compilation/ArchBuild.h"
#include "runtime/emulator/Emulator.h"
#include "runtime/emulator/timing/Timing.h"

#include <cstring>

namespace fly::driver::calibration {

namespace {

struct Text {
  std::string_view name, text;
};
constexpr Text texts[] = {
#include "compiler/calibrate/Calibrate.inc" // made of embedded/
};

/// As the kernels' parameters are laid out.
struct Arguments {
  uint64_t x, y;
  int32_t n, m, trips, step, workgroups;
};

struct Runner {
  Session &session;
  const emulator::Architecture &arch;
  std::shared_ptr<const emulator::Machine> machine;
  std::map<std::string, std::shared_ptr<emulator::Module>, std::less<>> modules;
  emulator::Device device;

  /// Cycles; none after a diagnostic.
  std::optional<double> run(const Probe &p, uint64_t trips) {
    const uint64_t elements = p.modelBytes / 4, results = 1024;
    const uint64_t x = device.allocate(p.modelBytes, "x"), y = device.allocate(results * 4, "y");
    device.fill(x, 0, p.modelBytes);
    device.fill(y, 0, results * 4);
    if (p.hop)
      if (auto *ring = static_cast<int32_t *>(device.hostPointer(x, p.modelBytes)))
        for (uint64_t k = 0; k < elements; ++k)
          ring[k] = static_cast<int32_t>((k + p.hop) % elements * 4);
    emulator::Timing timing;
    timing.options.machine = machine;
    timing.options.warm = !p.cold;
    timing.options.sample = true;
    emulator::LaunchConfig config;
    const auto workgroups = static_cast<uint32_t>(p.isDispatch ? trips : p.workgroups);
    config.grid = {workgroups, 1, 1};
    config.block = {p.block, 1, 1};
    config.timing = &timing;
    const Arguments arguments{x,
                              y,
                              static_cast<int32_t>(elements),
                              static_cast<int32_t>(results),
                              static_cast<int32_t>(trips),
                              static_cast<int32_t>(p.step),
                              static_cast<int32_t>(workgroups)};
    const std::string_view bytes(reinterpret_cast<const char *>(&arguments), offsetof(Arguments, workgroups) + 4);
    const emulator::LaunchResult result = device.launch(*modules.find(p.source)->second, p.kernel, config, bytes);
    device.free(x);
    device.free(y);
    if (result.ok)
      return static_cast<double>(timing.cycles);
    session.diags.report(diag::backend_failure, {}).arg(p.kernel).arg(result.report.text());
    return std::nullopt;
  }
};

} // namespace

std::string_view programText(std::string_view name) {
  for (const Text &t : texts)
    if (t.name == name)
      return t.text;
  return {};
}

std::optional<std::map<std::string, std::string>> buildKernels(Session &session, const target::Target &target) {
  std::map<std::string, std::string> objects;
  for (const char *source : {"compute", "lds", "memory"}) {
    const std::string name = std::string("<calibrate>/") + source + ".fly";
    if (!session.open(name, session.sources.add(name, std::string(programText(source)))))
      return std::nullopt;
    std::vector<std::unique_ptr<ArchBuild>> builds;
    const target::Target *targets[] = {&target};
    if (!buildArchitectures(session, targets, Keep{}, 0, builds))
      return std::nullopt;
    objects[source] = builds.front()->info.hsaco;
  }
  return objects;
}

std::optional<Results> measureWithModel(Session &session, const target::Target &target,
                                        std::shared_ptr<const emulator::Machine> machine) {
  auto objects = buildKernels(session, target);
  if (!objects)
    return std::nullopt;
  const emulator::Architecture &arch = *emulator::findArchitecture(target.name);
  Runner runner{session, arch, machine, {}, emulator::Device(arch)};
  for (auto &[source, bytes] : *objects) {
    std::string error;
    runner.modules[source] = runner.device.load(bytes, error);
    if (runner.modules[source])
      continue;
    session.diags.report(diag::backend_failure, {}).arg(source).arg(error);
    return std::nullopt;
  }
  Results results{std::string(target.name), machine->name + ", time model", {}, true, {}};
  for (const Probe &p : probesOf(*machine)) {
    const auto few = runner.run(p, p.few), many = runner.run(p, p.many);
    if (!few || !many)
      return std::nullopt;
    const double hertz = machine->maximumClock * 1e6;
    results.measurements[p.name] = {p.name, p.few, p.many, *few / hertz, *many / hertz, 0, 0, machine->maximumClock};
  }
  return results;
}

} // namespace fly::driver::calibration
