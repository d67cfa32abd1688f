// Measures the microbenchmarks of `flyc calibrate` on the first GPU. Prints results for `flyc calibrate --read`.
//
//     calibrate [--repeat N] [--small] > results.json
//
// --small shows that the program runs, with little memory, few workgroups and few trips. Its times mean nothing.
//
// Each probe is launched with few trips of its loop and with many; events time each launch, after others that warm up.
// Before and after each pair runs a chain of vector instructions whose cycles are known: its time is that of the clock
// just then, so that a clock that the power limit lowers does not matter. The medians of all repetitions are printed.
#include "kernels.h"

#include <hip/hip_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

void check(hipError_t error, const char *what) {
  if (error == hipSuccess)
    return;
  std::fprintf(stderr, "calibrate: %s: %s\n", what, hipGetErrorString(error));
  std::exit(1);
}
#define CHECK(call) check(call, #call)

/// As the kernels' parameters are laid out.
struct Arguments {
  std::uint64_t x, y;
  std::int32_t n, m, trips, step, workgroups;
};
constexpr std::size_t argumentBytes = 36;
constexpr std::int32_t results = 1024; // elements of y

struct Median {
  double value, spread;
};
Median medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  const double median = values[n / 2];
  return {median, median > 0 ? (values[n - 1 - n / 4] - values[n / 4]) / median : 0};
}

class Gpu {
public:
  Gpu() {
    CHECK(hipEventCreate(&begin));
    CHECK(hipEventCreate(&end));
    for (const Code &code : codes) {
      hipModule_t module;
      CHECK(hipModuleLoadData(&module, code.bytes));
      modules[code.name] = module;
    }
    CHECK(hipMalloc(&y, results * 4));
    CHECK(hipMalloc(&clockY, results * 4));
  }

  /// A buffer for the probe, zero or a ring; the last one is kept, since several probes share it.
  void prepare(const Probe &p) {
    CHECK(hipMemset(y, 0, results * 4));
    if (x && p.bytes == bytes && p.hop == hop)
      return;
    if (x)
      CHECK(hipFree(x));
    CHECK(hipMalloc(&x, p.bytes));
    bytes = p.bytes, hop = p.hop;
    CHECK(hipMemset(x, 0, p.bytes));
    if (!p.hop)
      return;
    const std::uint64_t n = p.bytes / 4;
    std::vector<std::int32_t> ring(n);
    for (std::uint64_t k = 0; k < n; ++k)
      ring[k] = static_cast<std::int32_t>((k + p.hop) % n * 4);
    CHECK(hipMemcpy(x, ring.data(), p.bytes, hipMemcpyHostToDevice));
  }

  double seconds(const Probe &p, std::uint64_t trips) { return seconds(p, trips, y); }
  /// What the probe has left in y stays: a chase goes on there.
  double clockSeconds(const Probe &p, std::uint64_t trips) { return seconds(p, trips, clockY); }

private:
  double seconds(const Probe &p, std::uint64_t trips, void *output) {
    hipFunction_t &function = functions[std::string(p.source) + "/" + p.kernel];
    if (!function)
      CHECK(hipModuleGetFunction(&function, modules[p.source], p.kernel));
    const unsigned workgroups = p.isDispatch ? static_cast<unsigned>(trips) : p.workgroups;
    Arguments arguments{reinterpret_cast<std::uintptr_t>(x),  reinterpret_cast<std::uintptr_t>(output),
                        static_cast<std::int32_t>(bytes / 4), results,
                        static_cast<std::int32_t>(trips),     static_cast<std::int32_t>(p.step),
                        static_cast<std::int32_t>(workgroups)};
    std::size_t size = argumentBytes;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     HIP_LAUNCH_PARAM_END};
    CHECK(hipEventRecord(begin, nullptr));
    CHECK(hipModuleLaunchKernel(function, workgroups, 1, 1, p.block, 1, 1, 0, nullptr, nullptr, extra));
    CHECK(hipEventRecord(end, nullptr));
    CHECK(hipEventSynchronize(end));
    float milliseconds = 0;
    CHECK(hipEventElapsedTime(&milliseconds, begin, end));
    return milliseconds * 1e-3;
  }

  hipEvent_t begin, end;
  std::map<std::string, hipModule_t> modules;
  std::map<std::string, hipFunction_t> functions;
  void *x = nullptr, *y = nullptr, *clockY = nullptr;
  std::uint64_t bytes = 0, hop = 0;
};

const Probe &named(const char *name) {
  for (const Probe &p : probes)
    if (!std::strcmp(p.name, name))
      return p;
  std::fprintf(stderr, "calibrate: there is no probe %s\n", name);
  std::exit(1);
}

/// Text in JSON.
std::string quoted(const char *text) {
  std::string out = "\"";
  for (; *text; ++text)
    if (static_cast<unsigned char>(*text) >= ' ')
      out += *text == '"' || *text == '\\' ? std::string("\\") + *text : std::string(1, *text);
  return out + "\"";
}

unsigned long numberOf(const char *text) {
  char *end = nullptr;
  const unsigned long value = std::strtoul(text, &end, 10);
  if (*end || !value || value > 1000) {
    std::fprintf(stderr, "calibrate: %s is not a number from 1 to 1000\n", text);
    std::exit(2);
  }
  return value;
}

} // namespace

int main(int argc, char **argv) {
  unsigned long repeat = 15;
  bool small = false;
  for (int k = 1; k < argc; ++k) {
    if (k + 1 < argc && !std::strcmp(argv[k], "--repeat"))
      repeat = numberOf(argv[++k]);
    else if (!std::strcmp(argv[k], "--small"))
      small = true;
    else {
      std::fprintf(stderr, "usage: %s [--repeat N] [--small] > results.json\n", argv[0]);
      return 2;
    }
  }
  hipDeviceProp_t properties;
  CHECK(hipGetDeviceProperties(&properties, 0));
  if (std::string(properties.gcnArchName).substr(0, std::strlen(architecture)) != architecture) {
    std::fprintf(stderr, "calibrate: the GPU is a %s, and these microbenchmarks are for %s\n", properties.gcnArchName,
                 architecture);
    return 1;
  }
  Gpu gpu;
  auto scaled = [&](std::uint64_t trips, const Probe &p) {
    return small ? std::min<std::uint64_t>(trips, 64) : trips * p.scale;
  };

  // The clock: two chains that differ by 32 instructions per trip, without the loops around them. From then on the
  // longer one is enough, whose trip lasts `chainTrip` times as many cycles as the difference.
  const Probe &chain = named("fma_1_64"), &half = named("fma_1_32");
  const std::uint64_t chainTrips = scaled(chain.many, chain);
  gpu.prepare(chain);
  std::vector<double> ratios;
  for (unsigned long k = 0; k < repeat + 2; ++k) {
    const double longer = gpu.clockSeconds(chain, chainTrips), shorter = gpu.clockSeconds(half, chainTrips);
    if (k >= 2)
      ratios.push_back(longer > shorter ? longer / (longer - shorter) : 0);
  }
  const double chainTrip = medianOf(ratios).value;
  auto megahertz = [&](double seconds) {
    return static_cast<double>(chainTrips) * chainTrip * 32 * chainCycles / seconds * 1e-6;
  };

  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::printf(
      "{\"schema_version\": 1, \"architecture\": \"%s\", \"device\": %s, \"date\": \"%s\", \"clock\": \"chain\",\n"
      " \"measurements\": [\n",
      architecture, quoted(properties.name).c_str(), date);
  bool first = true;
  for (const Probe &given : probes) {
    Probe p = given;
    if (small)
      p.bytes = std::min<std::uint64_t>(p.bytes, 1 << 20), p.workgroups = std::min(p.workgroups, 8u);
    gpu.prepare(p);
    const std::uint64_t few = scaled(p.few, p), many = scaled(p.many, p) > few ? scaled(p.many, p) : few + 1;
    gpu.seconds(p, few);
    gpu.seconds(p, many);
    // Times at the clock of their own moment, as cycles, and back to times at the middle clock.
    std::vector<double> clocks, fewCycles, manyCycles;
    double before = megahertz(gpu.clockSeconds(chain, chainTrips));
    for (unsigned long k = 0; k < repeat; ++k) {
      const double shorter = gpu.seconds(p, few), longer = gpu.seconds(p, many);
      const double after = megahertz(gpu.clockSeconds(chain, chainTrips)), clock = (before + after) / 2;
      clocks.push_back(clock);
      fewCycles.push_back(shorter * clock);
      manyCycles.push_back(longer * clock);
      before = after;
    }
    const double clock = medianOf(clocks).value;
    const Median a = medianOf(fewCycles), b = medianOf(manyCycles);
    std::printf("%s  {\"name\": \"%s\", \"trips\": [%llu, %llu], \"seconds\": [%.9e, %.9e], \"spread\": [%.4f, %.4f], "
                "\"megahertz\": %.3f}",
                first ? "" : ",\n", p.name, static_cast<unsigned long long>(few), static_cast<unsigned long long>(many),
                clock > 0 ? a.value / clock : 0, clock > 0 ? b.value / clock : 0, a.spread, b.spread,
                std::max(clock, 1.0));
    std::fflush(stdout);
    first = false;
  }
  std::printf("\n ]}\n");
  return 0;
}
