// See Constants.h. The method is that of compiler/calibrate/embedded/program/main.cpp: each probe runs with few and
// with many trips in turn, and between them a chain of vector instructions of known length, whose time is that of the
// clock just then. Medians of all repetitions count.
#include "compiler/hardware/Constants.h"

#include "compiler/doctor/HipFacts.h"
#include "compiler/launch/GpuDevice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

namespace fly::hardware {

using namespace driver::calibration;
using driver::GpuDevice;
using Json = nlohmann::ordered_json;

namespace {

/// As the microbenchmarks' parameters are laid out.
struct ProbeArguments {
  uint64_t x, y;
  int32_t n, m, trips, step, workgroups;
};
constexpr int32_t resultCount = 1024; ///< elements of y

struct Median {
  double value, spread;
};
Median medianOf(std::vector<double> values) {
  llvm::sort(values);
  const size_t n = values.size();
  const double median = values[n / 2];
  return {median, median > 0 ? (values[n - 1 - n / 4] - values[n / 4]) / median : 0};
}

class Bench {
public:
  Bench(GpuDevice &gpu, const std::map<std::string, std::string> &objects) : gpu(gpu), objects(objects) {}
  ~Bench() {
    for (uint64_t address : {x, y, clockY})
      (void)gpu.free(address);
  }

  /// A buffer for the probe, zero or a ring; the last one is kept, since several probes share it. False after an error.
  bool prepare(const Probe &p) {
    if (!y) {
      y = gpu.allocate(resultCount * 4);
      clockY = gpu.allocate(resultCount * 4);
    }
    if (!y || !clockY || !gpu.fill(y, 0, resultCount * 4) || !gpu.fill(clockY, 0, resultCount * 4))
      return false;
    if (x && p.bytes == bytes && p.hop == hop)
      return true;
    if (!gpu.free(std::exchange(x, 0)))
      return false;
    x = gpu.allocate(p.bytes);
    bytes = p.bytes, hop = p.hop;
    if (!x || !gpu.fill(x, 0, bytes) || !gpu.synchronize())
      return false;
    if (!hop)
      return true;
    const uint64_t n = bytes / 4;
    std::vector<int32_t> ring(n);
    for (uint64_t k = 0; k < n; ++k)
      ring[k] = static_cast<int32_t>((k + hop) % n * 4);
    return gpu.write(x, ring.data(), bytes);
  }

  /// None after an error. With `isClock` the probe's results are left alone: a chase goes on where it was.
  std::optional<double> seconds(const Probe &p, uint64_t trips, bool isClock = false) {
    const auto workgroups = static_cast<uint32_t>(p.isDispatch ? trips : p.workgroups);
    const ProbeArguments arguments{x,
                                   isClock ? clockY : y,
                                   static_cast<int32_t>(bytes / 4),
                                   resultCount,
                                   static_cast<int32_t>(trips),
                                   static_cast<int32_t>(p.step),
                                   static_cast<int32_t>(workgroups)};
    const std::string block(reinterpret_cast<const char *>(&arguments), offsetof(ProbeArguments, workgroups) + 4);
    const auto times = gpu.measure(
        /*warmUp=*/0, /*repeat=*/1, [] { return true; },
        [&] { return gpu.launch(objects.at(p.source), p.kernel, {workgroups, 1, 1}, {p.block, 1, 1}, 0, block); });
    return times ? std::optional(times->median() * 1e-6) : std::nullopt;
  }

private:
  GpuDevice &gpu;
  const std::map<std::string, std::string> &objects;
  uint64_t x = 0, y = 0, clockY = 0, bytes = 0, hop = 0;
};

class Measuring {
public:
  Measuring(GpuDevice &gpu, const std::map<std::string, std::string> &objects, const emulator::Machine &machine,
            unsigned repeat)
      : bench(gpu, objects), probes(probesOf(machine)), cyclesOfChain(chainCycles(machine)),
        isSmall(doctor::isEmulator(gpu.name())), repeat(isSmall ? 2 : repeat) {}

  const std::vector<Probe> &all() const { return probes; }

  /// The clock: two chains that differ by 32 instructions per trip, without the loops around them. From then on the
  /// longer one is enough, whose trip lasts `chainTrip` times as many cycles as the difference.
  bool findClock() {
    const Probe &half = named("fma_1_32");
    chain = &named("fma_1_64");
    chainTrips = scaled(chain->many, *chain);
    if (!bench.prepare(*chain))
      return false;
    std::vector<double> ratios;
    for (unsigned k = 0; k < repeat + 2; ++k) {
      const auto longer = bench.seconds(*chain, chainTrips, true), shorter = bench.seconds(half, chainTrips, true);
      if (!longer || !shorter)
        return false;
      if (k >= 2)
        ratios.push_back(*longer > *shorter ? *longer / (*longer - *shorter) : 0);
    }
    chainTrip = medianOf(ratios).value;
    return true;
  }

  std::optional<Measurement> measure(Probe p) {
    if (isSmall) {
      p.bytes = std::min<uint64_t>(p.bytes, 1 << 20);
      p.workgroups = std::min(p.workgroups, 8u);
    }
    const uint64_t few = scaled(p.few, p), many = std::max(scaled(p.many, p), few + 1);
    if (!bench.prepare(p) || !bench.seconds(p, few) || !bench.seconds(p, many))
      return std::nullopt;
    // Times at the clock of their own moment, as cycles, and back to times at the middle clock.
    std::vector<double> clocks, fewCycles, manyCycles;
    auto before = megahertz();
    for (unsigned k = 0; k < repeat; ++k) {
      const auto shorter = bench.seconds(p, few), longer = bench.seconds(p, many);
      const auto after = megahertz();
      if (!before || !shorter || !longer || !after)
        return std::nullopt;
      const double clock = (*before + *after) / 2;
      clocks.push_back(clock);
      fewCycles.push_back(*shorter * clock);
      manyCycles.push_back(*longer * clock);
      before = after;
    }
    const double clock = medianOf(clocks).value;
    const Median a = medianOf(fewCycles), b = medianOf(manyCycles);
    return Measurement{p.name,
                       few,
                       many,
                       clock > 0 ? a.value / clock : 0,
                       clock > 0 ? b.value / clock : 0,
                       a.spread,
                       b.spread,
                       std::max(clock, 1.0)};
  }

private:
  const Probe &named(const char *name) const {
    return *llvm::find_if(probes, [&](const Probe &p) { return p.name == name; });
  }
  uint64_t scaled(uint64_t trips, const Probe &p) const {
    return isSmall ? std::min<uint64_t>(trips, 8) : trips * p.scale;
  }
  std::optional<double> megahertz() {
    const auto seconds = bench.seconds(*chain, chainTrips, true);
    if (!seconds)
      return std::nullopt;
    return double(chainTrips) * chainTrip * 32 * cyclesOfChain / *seconds * 1e-6;
  }

  Bench bench;
  std::vector<Probe> probes;
  const double cyclesOfChain;
  const bool isSmall;
  const unsigned repeat;
  const Probe *chain = nullptr;
  uint64_t chainTrips = 0;
  double chainTrip = 0;
};

} // namespace

int measureConstants(driver::Session &session, const ConstantWork &work, Journal &journal) {
  std::string problem;
  auto gpu = GpuDevice::open(*work.target, problem);
  if (!gpu) {
    llvm::errs() << "flyc: " << problem << '\n';
    return 2;
  }
  gpu->secondsAtMost = work.launchSeconds;
  const auto objects = buildKernels(session, *work.target);
  if (!objects) {
    session.finish();
    return 1;
  }
  Measuring measuring(*gpu, *objects, *emulator::machineOf(std::string(work.target->name)), work.repeat);
  auto lost = [&](const std::string &name) {
    gpu->probe();
    journal.end({name, gpu->isLost() ? "hung" : "failed", gpu->error()});
    if (gpu->isLost())
      std::_Exit(3); // HIP would wait for the kernel
  };
  gpu->name("the chain that tells the clock");
  journal.begin("clock");
  if (!measuring.findClock()) {
    lost("clock");
    return 1;
  }
  if (!journal.has("clock"))
    journal.end({"clock", "measured", ""});
  for (const Probe &probe : measuring.all()) {
    if (journal.has(probe.name))
      continue;
    journal.begin(probe.name);
    gpu->name("probe `" + probe.name + "`");
    const auto m = measuring.measure(probe);
    if (!m) {
      lost(probe.name);
      continue;
    }
    journal.end({probe.name, "measured",
                 Json({{"trips", {m->few, m->many}},
                       {"seconds", {m->fewSeconds, m->manySeconds}},
                       {"spread", {m->fewSpread, m->manySpread}},
                       {"megahertz", m->megahertz}})
                     .dump()});
  }
  journal.done();
  return 0;
}

std::optional<Results> resultsOf(const std::vector<JournalResult> &measured, const std::string &architecture,
                                 const std::string &device, const std::string &date) {
  Results results{architecture, device, date, /*exactClock=*/false, {}};
  for (const JournalResult &result : measured) {
    const Json json = Json::parse(result.detail, nullptr, /*allow_exceptions=*/false);
    if (result.outcome != "measured" || !json.is_object())
      continue;
    try {
      results.measurements[result.name] = {result.name,
                                           json.at("trips").at(0),
                                           json.at("trips").at(1),
                                           json.at("seconds").at(0),
                                           json.at("seconds").at(1),
                                           json.at("spread").at(0),
                                           json.at("spread").at(1),
                                           json.at("megahertz")};
    } catch (const Json::exception &) {
      continue; // not of ours
    }
  }
  return results.measurements.empty() ? std::nullopt : std::optional(std::move(results));
}

} // namespace fly::hardware
