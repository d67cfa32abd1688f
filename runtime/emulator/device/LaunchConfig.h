// Parameters and results of a launch: part of the emulator's API (Emulator.h).
#pragma once

#include "runtime/emulator/device/Checks.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fly::emulator {

struct Architecture;                                         ///< a row of compiler/target
const Architecture *findArchitecture(std::string_view name); ///< "gfx942" ...; null if unknown

struct ObserverRow;
struct Profile;
struct Timing;

/// The order in which the waves of a workgroup run to their next blocking point (barrier, end). A kernel without races
/// gives the same result in each order. Interleaved: the waves run in turns of a few instructions, in an order and of
/// lengths that come from the seed, as hardware may stop them anywhere; this finds results that depend on how two waves
/// overlap, not only on which of them runs first.
enum class WaveOrder { Ascending, Descending, Seeded, Interleaved };

/// What v_rcp, v_rsq, v_sqrt, v_exp, v_log, v_sin, v_cos, v_tanh return. Their documents promise 1 ulp (f64: 2^29 ulp),
/// so of the two numbers around the exact result hardware may give either: Nearest is the better one, Below and Above
/// are fixed.
enum class Approximation : int8_t { Below = -1, Nearest = 0, Above = 1 };

/// How matrix instructions add: Exact is bit for bit as the machine does where that is known (docs/emulator.md), Fast a
/// chain of f32 multiply-adds, which is within the error bound of the machine's.
enum class MatrixArithmetic : uint8_t { Exact, Fast };

/// Memory of one of several devices.
struct OwnedMemory {
  uint64_t address, bytes;
  unsigned device;
};

struct LaunchConfig {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::array<uint32_t, 3> cluster{1, 1, 1}; ///< gfx1250: workgroups that run together; divides the grid
  uint32_t dynamicLdsBytes = 0;
  WaveOrder order = WaveOrder::Ascending;
  uint64_t seed = 0; ///< for WaveOrder::Seeded
  Approximation approximation = Approximation::Nearest;
  MatrixArithmetic matrix = MatrixArithmetic::Exact;
  uint64_t instructionLimit = 0; ///< wave instructions in all, 0: a generous default
  Checks checks;                 ///< which checks are on, and what they do with what they find
  /// The workgroups that are executed, with those of their clusters; empty: all. The kernel's results are then those of
  /// these alone, and the time model has them as if there were no others.
  std::vector<std::array<uint32_t, 3>> only;
  unsigned threads = 0;       ///< host threads that run workgroups; 0: one a core
  Profile *profile = nullptr; ///< filled in with what was counted; see Profile.h. Slower
  /// Of launches at once: which device has which memory, by address. Counted in the profile.
  const std::vector<OwnedMemory> *owned = nullptr;
  Timing *timing = nullptr; ///< filled in by the time model; see timing/Timing.h. Slower
  /// Further observers of the waves, beside those of the checks; see launch/LaunchObservers.h.
  const std::vector<ObserverRow> *observers = nullptr;
  std::string label; ///< what reports call the kernel; empty: its symbol
};

class Module;

/// One of several kernels that run at once, on a device each.
struct DeviceLaunch {
  const Module &module;
  std::string_view kernel;
  const LaunchConfig &config;
  std::string_view kernargs;
  unsigned device; ///< its number; all differ
};

struct LaunchResult {
  bool ok = false;
  FaultReport report;            ///< why it is not
  uint64_t waveInstructions = 0; ///< executed, all waves
  std::string output;            ///< what the kernel printed, also before a fault
  FindingList findings;          ///< of checks with CheckMode::Warn, and notes; also before a fault
};

} // namespace fly::emulator
