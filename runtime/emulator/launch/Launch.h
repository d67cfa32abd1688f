// A running launch: the constant state that all its waves share, and the parts that run it.
//
//     launchKernel (Launch.cpp)   checks the launch, fills kernel arguments and the dispatch packet: a LaunchPlan
//     startWave (WaveStart.cpp)   registers as the hardware's dispatcher leaves them
//     runPlan (Scheduler.cpp)     workgroups over host threads
//     Runner                      what one thread does: waves of a workgroup in turn
#pragma once

#include "runtime/emulator/launch/Module.h"

#include <array>

namespace fly::emulator {

struct LaunchPlan {
  Memory &memory;
  const Module &module;
  const isa::Kernel &kernel;
  const LaunchConfig &config;
  const Architecture &arch;
  uint64_t kernarg = 0, dispatch = 0, queue = 0; ///< device addresses
  unsigned waveSize = 64;
  uint32_t ldsBytes = 0;                    ///< of a workgroup
  uint32_t scratchBytes = 0;                ///< of a lane
  uint32_t workItems = 0, waveCount = 0;    ///< of a workgroup
  std::array<uint32_t, 3> cluster{1, 1, 1}; ///< workgroups that run together; divides the grid
  Residency resident{};                     ///< on a compute unit; for the time model alone
  uint32_t device = 0, firstGroup = 0;      ///< of several at once: its number, and that of its first workgroup

  /// What reports call the kernel.
  const std::string &name() const { return config.label.empty() ? kernel.name : config.label; }
  std::vector<uint64_t> chosen; ///< LaunchConfig::only as units of the grid, in order; empty: all

  /// A unit is scheduled as a whole: a cluster of workgroups or, without clusters, one workgroup. Those that are executed
  /// are numbered from 0.
  uint64_t unitCount() const;
  void choose();
  /// The number of a workgroup in the grid, x first.
  uint64_t numberInGrid(uint64_t unit, uint32_t member) const;
  uint32_t groupsPerUnit() const { return cluster[0] * cluster[1] * cluster[2]; }
  /// Ids of workgroup `member` of unit `unit`: x first in both.
  std::array<uint32_t, 3> workgroupId(uint64_t unit, uint32_t member) const;
};

/// The wave's state when it begins. `wave.vector`, `scratch` and `group` are set; everything else is done here. Returns
/// the scalar registers that are set.
ScalarSet startWave(const LaunchPlan &plan, Program &program, Wave &wave, Workgroup &group, unsigned index);

/// Runs all units and fills in `result`.
void runPlan(const LaunchPlan &plan, LaunchResult &result);
/// The same of kernels of several devices at once, whose plans have their `device` and `firstGroup`.
void runTogether(const std::vector<const LaunchPlan *> &plans, LaunchResult &result);

} // namespace fly::emulator
