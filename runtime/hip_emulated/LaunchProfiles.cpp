// See LaunchProfiles.h. The time model may refuse a launch (it needs more memory than it may have): the launch then fails as
// after a fault, with the model's words.
#include "runtime/hip_emulated/LaunchProfiles.h"

#include "runtime/emulator/timing/Timing.h"
#include "runtime/emulator/watch/Profile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

namespace fly::hip_emulated {

namespace {

/// Sums over the launches of one kernel.
struct KernelSum {
  uint64_t launches = 0, workgroups = 0, waves = 0, cycles = 0;
  double microseconds = 0, shortest = 0, longest = 0; ///< modelled, at the maximum clock
  emulator::ProfileCounts counts;
  std::map<std::string, uint64_t> units;  ///< executions by class of instruction
  std::map<std::string, uint64_t> bounds; ///< launches by what bounds them
};

struct Profiles {
  std::mutex lock;
  std::FILE *file = nullptr;
  bool asJson = false;
  std::string architecture;
  std::map<std::string, KernelSum> kernels;
  std::vector<std::string> order; ///< of their first launches
};

Profiles &profiles() {
  static auto *instance = new Profiles; // the program's own destructors may launch
  return *instance;
}

void add(const emulator::Profile &profile, const emulator::Timing &timing) {
  Profiles &all = profiles();
  std::lock_guard guard(all.lock);
  all.architecture = profile.architecture;
  if (!all.kernels.count(profile.kernel)) all.order.push_back(profile.kernel);
  KernelSum &sum = all.kernels[profile.kernel];
  const double microseconds = timing.maximumClock > 0 ? double(timing.cycles) / timing.maximumClock : 0;
  sum.shortest = sum.launches ? std::min(sum.shortest, microseconds) : microseconds;
  sum.longest = std::max(sum.longest, microseconds);
  sum.microseconds += microseconds;
  ++sum.launches;
  sum.workgroups += profile.workgroups;
  sum.waves += profile.waves;
  sum.cycles += timing.cycles;
  sum.counts += profile.total();
  for (const emulator::ProfiledInstruction &instruction : profile.instructions)
    if (instruction.counts.executions) sum.units[instruction.unit] += instruction.counts.executions;
  ++sum.bounds[timing.bound];
}

std::string mostOften(const std::map<std::string, uint64_t> &bounds) {
  std::pair<std::string, uint64_t> most;
  for (const auto &each : bounds)
    if (each.second > most.second) most = each;
  return most.first;
}

nlohmann::ordered_json toJson(const Profiles &all) {
  nlohmann::ordered_json out = {{"schema_version", 1}, {"architecture", all.architecture}};
  out["kernels"] = nlohmann::ordered_json::array();
  for (const std::string &name : all.order) {
    const KernelSum &sum = all.kernels.at(name);
    nlohmann::ordered_json counts;
    for (const emulator::ProfileCountName &each : emulator::profileCountNames())
      counts[each.name] = sum.counts.*each.member;
    out["kernels"].push_back({{"kernel", name},
                              {"launches", sum.launches},
                              {"workgroups", sum.workgroups},
                              {"waves", sum.waves},
                              {"cycles", sum.cycles},
                              {"microseconds", sum.microseconds},
                              {"shortest_microseconds", sum.shortest},
                              {"longest_microseconds", sum.longest},
                              {"bound", mostOften(sum.bounds)},
                              {"instructions", sum.units},
                              {"counts", counts}});
  }
  return out;
}

void writeTable(const Profiles &all) {
  double total = 0;
  size_t width = 6;
  for (const auto &[name, sum] : all.kernels) {
    total += sum.microseconds;
    width = std::max(width, name.size());
  }
  std::fprintf(all.file, "%s, modelled times at the maximum clock, launches one after another: %.4g us\n\n",
               all.architecture.c_str(), total);
  std::fprintf(all.file, "%-*s %8s %11s %7s %10s %12s %12s %12s  %s\n", int(width), "kernel", "launches", "us", "%",
               "us/launch", "instructions", "bytes read", "written", "bound");
  std::vector<std::string> sorted = all.order;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const std::string &a, const std::string &b) {
    return all.kernels.at(a).microseconds > all.kernels.at(b).microseconds;
  });
  for (const std::string &name : sorted) {
    const KernelSum &sum = all.kernels.at(name);
    std::fprintf(all.file, "%-*s %8llu %11.4g %7.1f %10.4g %12llu %12llu %12llu  %s\n", int(width), name.c_str(),
                 static_cast<unsigned long long>(sum.launches), sum.microseconds,
                 total > 0 ? 100 * sum.microseconds / total : 0.0, sum.microseconds / double(sum.launches),
                 static_cast<unsigned long long>(sum.counts.executions),
                 static_cast<unsigned long long>(sum.counts.globalReadBytes),
                 static_cast<unsigned long long>(sum.counts.globalWrittenBytes), mostOften(sum.bounds).c_str());
  }
}

} // namespace

std::string openProfile() {
  const char *wish = std::getenv("FLY_EMULATE_PROFILE");
  if (!wish || !*wish) return {};
  Profiles &all = profiles();
  all.file = std::fopen(wish, "w");
  if (!all.file) return std::string("a file that can be written: ") + std::strerror(errno);
  const std::string name = wish;
  all.asJson = name.size() >= 5 && name.compare(name.size() - 5, 5, ".json") == 0;
  return {};
}

emulator::LaunchResult profiled(const emulator::LaunchConfig &config, emulator::Timing *modelled,
                                const std::function<emulator::LaunchResult(const emulator::LaunchConfig &)> &launch) {
  const bool isProfiled = profiles().file != nullptr;
  if (!isProfiled && !modelled) return launch(config);
  emulator::Profile profile;
  emulator::Timing own, &timing = modelled ? *modelled : own;
  emulator::LaunchConfig counting = config;
  if (isProfiled) counting.profile = &profile;
  counting.timing = &timing;
  emulator::LaunchResult result = launch(counting);
  if (isProfiled && result.ok) add(profile, timing);
  return result;
}

void writeProfile() {
  Profiles &all = profiles();
  std::lock_guard guard(all.lock);
  if (!all.file) return;
  if (all.asJson) std::fputs((toJson(all).dump(2) + "\n").c_str(), all.file);
  else writeTable(all);
  std::fclose(all.file);
  all.file = nullptr;
}

} // namespace fly::hip_emulated
