// The constants of a machine that the time model needs, each with its source and how certain it is.
//
// A machine is a JSON file: machines/gfx942.json and its kin are built in, and `--machine FILE` gives another one, so
// that people with the hardware can correct a number without building flyc:
//
//     { "schema_version": 1, "name": "MI355X", "architecture": "gfx950",
//       "constants": { "lds_latency": { "value": 52, "certainty": "measured", "source": "..." }, ... },
//       "matrix_cycles": [ { "instruction": "v_mfma_f32_16x16x32_f16", "cycles": 16, "narrow_cycles": 16 }, ... ] }
//
// A file may leave constants out: those of the architecture's own machine stand. Unknown keys, constants and
// instructions are errors, and so are values outside of the bounds that `machineMembers` has for each constant.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fly::emulator {

/// Where a number comes from. Documented: by AMD. Measured: on the hardware, by the source. Vendor: a constant of AMD's
/// own software. Derived: by arithmetic from documented or measured ones. Assumed: no source, a plausible value.
/// Fitted: chosen so that the fit points of the validation agree.
enum class Certainty : uint8_t { Documented, Measured, Vendor, Derived, Assumed, Fitted };
std::string_view name(Certainty certainty);

struct MachineConstant {
  double value = 0;
  Certainty certainty = Certainty::Assumed;
  std::string source;
};

/// Cycles are of the engine clock, sizes bytes, unless the name says otherwise.
struct Machine {
  std::string name, architecture;
  std::string uncertaintyNote; ///< which points the uncertainty comes from

  // The chip
  double xcds, computeUnits /* of an XCD */, maximumClock, sustainedClock /* MHz */;
  double uncertainty; ///< of cycles, relative; 0: not validated
  // Issue: a SIMD looks for instructions every `turn` cycles
  double turn;
  double vectorCycles, vectorLatency; ///< that a VALU instruction occupies the unit; until its result can be read
  double packedCycles;                ///< v_pk_*_f32
  double doubleCycles, doubleLatency; ///< f64
  double transcendentalCycles, transcendentalLatency;
  double transcendentalIssue; ///< that one keeps others than transcendental ones from issue
  double swapCycles;          ///< v_permlane*_swap
  double scalarLatency;
  double branchCycles;             ///< until the instruction after a taken branch
  double waitCycles;               ///< of a wait that is satisfied
  double barrierLatency;           ///< from the last signal until waves go on
  double matrixHead;               ///< no VALU instruction starts so long after a matrix instruction. Negative: as
                                   ///< long as it runs. Not of instructions that have a `window`
  double matrixHeadSource;         ///< more of it for each 16 bytes of a lane's A or B, of the one that has more
  double packedGap, packedGapWide; ///< from the end of a matrix instruction until packed f32, v_pk_mov and dot products
                                   ///< start; more if a lane's A has 16 bytes. Negative: as other VALU instructions
  double matrixLatency;            ///< beyond its cycles, until something else than an accumulation may read it
  // LDS: the SIMDs share `ldsPorts` ports, each with a queue; all share the banks
  double ldsPorts, ldsPortBytes, ldsQueue, ldsLatency;
  double ldsPhaseCycles;     ///< of the banks for one conflict-free phase
  double ldsTurnaround;      ///< of the banks between a read and a write
  double ldsWriteHold;       ///< of a wave per dword per lane that it writes, beyond the turn
  double ldsUnalignedFactor; ///< an access of 16 bytes per lane that is not aligned to 16
  // Vector memory
  double memoryQueue; ///< wave instructions that wait for the L1 cache, per compute unit
  double l1BytesPerCycle, l1Bytes, l1Ways, l1Latency, narrowFactor, inFlightBytes, fillBytesPerCycle;
  double writeBytesPerCycle; ///< of a compute unit to L2
  double l2Bytes, l2Ways, l2Channels, l2ReadBytesPerCycle, l2WriteBytesPerCycle /* of a channel */, l2Latency;
  double memorySideBytes, memorySideBytesPerCycle /* both of the chip */, memorySideLatency;
  double memoryBytesPerCycle /* of the chip, achievable */, memoryPeakBytesPerCycle, memoryLatency;
  double memoryWriteFactor; ///< times the time of a byte that is read: what reads and writes that take turns cost
  // Scalar loads and code
  double scalarCacheBytes, scalarMemoryLatency, instructionCacheBytes, fetchLatency, fetchAhead;
  double cacheSharers; ///< compute units that share scalar and instruction caches
  // To other devices: each has `links`, one to each other device if there are enough
  double links, linkPeak /* GB/s each way, of the data sheet */, linkBandwidth /* the same, achievable */;
  double linkLatency /* us */, linkUncertainty /* relative; 0: not validated */;
  // Dispatch
  double launchTime;                  ///< us, of a launch beside its kernel; told, and not in any figure. 0: not known
  double workgroupCycles, waveCycles; ///< of an XCD per workgroup; until a wave's first instruction

  std::map<std::string, MachineConstant, std::less<>> constants; ///< by JSON name: for tables
  struct MatrixCycles {
    double cycles, narrow;
    /// For each cycle from the issue: `I`, a VALU instruction may start; `0`, `E`, `V`, none may. Empty: see matrixHead.
    std::string window, narrowWindow;
  };
  std::map<std::string, MatrixCycles, std::less<>> matrixCycles; ///< by the assembler's name
};

/// The built-in machine of an architecture; null if there is none.
std::shared_ptr<const Machine> machineOf(std::string_view architecture);
/// From JSON; null and `error` if it is wrong.
std::shared_ptr<const Machine> parseMachine(std::string_view json, std::string &error);
/// The built-in file's text: for `flyc targets --machine`, to be corrected. Empty if there is none.
std::string_view machineText(std::string_view architecture);

/// The constants by name, for reading, writing and tables. Files with a value outside of the bounds are refused: they
/// are far beyond any machine, and such that the model ends and its caches fit into the host's memory.
struct MachineMember {
  const char *name, *unit, *meaning;
  double Machine::*member;
  double least, most;
  bool whole = false; ///< a count: whole numbers only
};
std::span<const MachineMember> machineMembers();

} // namespace fly::emulator
