// What a launch did, counted: instructions, lanes, bytes, LDS conflicts, memory transactions.
//
//     Profile profile;
//     config.profile = &profile;
//     device.launch(*module, "gemm", config, arguments);
//     puts(profileText(profile).c_str());
//
// Everything is counted for each instruction of the code, so a source line, a class or the kernel is a sum. Numbers are
// exact counts of what was executed, not estimates of time: those are the time model's (timing/Timing.h). Two of them
// imply a model of the hardware: LDS cycles (compiler/target/LdsBanks.h) and transactions.
//
// Transactions: a global access of a wave touches the aligned lines of 32, 64 and 128 bytes that contain bytes of some
// active lane; each different line counts once per access. This is the minimum for any coalescing within one
// instruction. 64 bytes is the unit of requests to L2 on CDNA, 128 bytes the cache line of CDNA3's L2 and of RDNA.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace fly::emulator {

/// Counts of one instruction, or of a sum of several.
struct ProfileCounts {
  uint64_t executions = 0;                              ///< by waves
  uint64_t lanes = 0;                                   ///< EXEC-active ones, summed over executions
  uint64_t globalReadBytes = 0, globalWrittenBytes = 0; ///< global, flat and buffer; summed over lanes
  uint64_t ldsReadBytes = 0, ldsWrittenBytes = 0;
  uint64_t scratchReadBytes = 0, scratchWrittenBytes = 0;
  uint64_t scalarReadBytes = 0; ///< scalar loads, once per wave
  uint64_t globalAccesses = 0;  ///< instructions that accessed global memory with some lane
  uint64_t transactions32 = 0, transactions64 = 0, transactions128 = 0;
  uint64_t ldsAccesses = 0, ldsCycles = 0, ldsConflictCycles = 0;
  uint64_t atomicLanes = 0; ///< read-modify-write operations
  uint64_t matrixFlops = 0; ///< of matrix instructions: 2*M*N*K*blocks; of sparse ones as if dense
  ProfileCounts &operator+=(const ProfileCounts &other);
};
/// The members with their names in the JSON.
struct ProfileCountName {
  const char *name;
  uint64_t ProfileCounts::*member;
};
std::span<const ProfileCountName> profileCountNames();

struct ProfiledInstruction {
  uint64_t address = 0; ///< in the code object
  std::string text;     ///< disassembled
  std::string name;     ///< "V_ADD_F32"
  std::string unit;     ///< isa::name of its Class: "vector", "matrix", "wait", ...
  std::string function; ///< the symbol that contains it
  std::string file;     ///< empty if the line table does not know
  unsigned line = 0;
  std::vector<std::string> counters; ///< what a wait waits for: "vmcnt", ...
  bool perLane = false;              ///< EXEC decides what it does: vector arithmetic, memory
  ProfileCounts counts;
};

struct ProfiledLine {
  std::string file;
  unsigned line = 0; ///< 0 with an empty file: code without a line
  ProfileCounts counts;
};

/// Between a launch and the memory of a device, summed over lanes.
struct MovedBytes {
  uint64_t read = 0, written = 0;
};

struct Profile {
  std::string kernel, architecture;
  unsigned waveSize = 0;
  std::array<uint32_t, 3> grid{}, block{};
  uint64_t workgroups = 0, waves = 0;            ///< that were started
  std::vector<ProfiledInstruction> instructions; ///< by address; all of each function that was entered
  std::vector<MovedBytes> moved;                 ///< by device; with LaunchConfig::owned

  ProfileCounts total() const;
  /// Sums by source line, most executions first.
  std::vector<ProfiledLine> lines() const;
  /// Active lanes of instructions that work per lane, 0 to 1.
  double activeLaneShare() const;
};

/// Tables for people: totals, mix, memory, the hottest lines and instructions.
std::string profileText(const Profile &profile, unsigned hottest = 10);
/// docs/schema/profile.schema.json.
std::string profileJson(const Profile &profile);
/// Disassembly with counts, with its source lines from `source` (empty: not known).
std::string profileListing(const Profile &profile,
                           const std::function<std::string(const std::string &file, unsigned line)> &source = {});

} // namespace fly::emulator
