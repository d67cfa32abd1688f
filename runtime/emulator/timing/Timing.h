// How long a launch takes, by a model of the machine: what `Timing` holds, and the parts that fill it in.
//
//     Timing timing;
//     config.timing = &timing;
//     device.launch(*module, "gemm", config, arguments);
//     puts(timingText(timing).c_str());
//
// The model is driven by a trace. The functional run records what each wave executes, with the lines of memory and the
// cycles of LDS that each access needs (Trace.h). A replay then assigns a time to each instruction (Replay.h), by the
// constants of a machine (Machine.h). It is deterministic: the same object, arguments and machine give the same cycles.
// docs/time-model.md says what is modelled, what is not, and how far the results can be trusted.
//
// Times are cycles of the engine clock since the first workgroup is dispatched.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fly::emulator {

struct Machine;

/// Why a wave does not issue its next instruction.
enum class Stall : uint8_t {
  VectorMemory, ///< waits for a counter of loads or stores from or to memory
  Lds,          ///< waits for a counter of LDS
  ScalarMemory, ///< waits for a counter of scalar loads or messages
  Barrier,      ///< waits for other waves
  Dependency,   ///< an operand is not ready
  Matrix,       ///< the matrix unit is busy
  Vector,       ///< the vector unit is busy
  Issue,        ///< the issue slot of its kind is taken by another wave
  LdsQueue,     ///< LDS accepts no more requests
  MemoryQueue,  ///< the path to memory accepts no more requests
  Counter,      ///< a counter of outstanding operations is full
  Fetch,        ///< the code is not in the instruction cache, or a branch was taken
  Sleep,        ///< s_nop, s_sleep, and other instructions that wait by themselves
  Count
};
inline constexpr unsigned stallCount = static_cast<unsigned>(Stall::Count);
/// "vector memory", "LDS", ...
std::string_view name(Stall stall);

/// What is shared and can be busy.
enum class Resource : uint8_t { Matrix, Vector, Scalar, Issue, Lds, L1, L2, MemorySide, Memory, Count };
inline constexpr unsigned resourceCount = static_cast<unsigned>(Resource::Count);
/// "matrix", "VALU", "SALU", "issue", "LDS", "L1", "L2", "MALL", "HBM"
std::string_view name(Resource resource);

/// One instruction of the code, summed over the waves that were replayed.
struct TimedInstruction {
  uint64_t address = 0;         ///< in the code object
  std::string text, unit, file; ///< as in ProfiledInstruction: `unit` is isa::name of its Class
  unsigned line = 0;
  uint64_t executions = 0;                   ///< by waves
  uint64_t issueCycles = 0;                  ///< in which a wave issued it
  std::array<uint64_t, stallCount> stalls{}; ///< cycles in which a wave waited to issue it
  uint64_t conflictCycles = 0;               ///< of LDS, by bank conflicts
  uint64_t stalled() const;
};

/// A loop: a branch backwards that waves take.
struct TimedLoop {
  uint64_t first = 0, last = 0; ///< addresses of the branch's target and of the branch
  std::string file;
  unsigned line = 0;       ///< of the branch
  uint64_t iterations = 0; ///< summed over waves, from one time that the branch is taken to the next
  double cycles = 0;       ///< of one iteration, on average
  double matrixCycles = 0; ///< that the matrix unit of a wave's SIMD needs for one iteration of one wave
  /// Share of the matrix unit's time while the waves of its SIMD are in the loop.
  double matrixShare = 0;
};

/// What one wave does, for a picture of a compute unit.
struct WaveSpan {
  uint32_t instruction = 0;      ///< index in Timing::instructions
  uint64_t begin = 0, issue = 0; ///< it could have been issued at `begin`; it was at `issue`
  uint64_t end = 0;              ///< its unit is free, or its data is there
  Stall stall = Stall::Issue;    ///< what it waited for longest, if `begin` and `issue` differ
};
struct WaveLine {
  uint64_t workgroup = 0; ///< linear number
  unsigned wave = 0;      ///< within the workgroup
  unsigned simd = 0;
  uint64_t begin = 0, end = 0;
  std::vector<WaveSpan> spans; ///< in the order of issue
};

/// Workgroups that differ by less from the launch's mean are taken for alike.
inline constexpr double differenceOfWork = 0.02;

struct Timing {
  /// What the caller asks for.
  struct Options {
    std::shared_ptr<const Machine> machine; ///< null: the architecture's own (Machine.h)
    /// Compute units that are simulated; 0: those of one XCD. The others are assumed to do alike.
    unsigned computeUnits = 0;
    bool wholeChip = false; ///< all compute units
    /// All of them, too, if neither they nor other limits were asked for and the workgroups of the first XCD have more or
    /// less to do than those of the others, as in causal attention.
    bool allIfDifferent = true;
    /// Execute only the workgroups that are replayed. The kernel's results are then incomplete.
    bool sample = false;
    /// Rounds of workgroups that are replayed before the rest is extrapolated; 0: all.
    unsigned rounds = 0;
    bool warm = true;            ///< what fits into the memory-side cache is there when the kernel starts
    unsigned timelineCycles = 0; ///< length of the picture of compute unit 0; 0: none
    uint64_t timelineFrom = 0;
    uint64_t traceLimit = uint64_t(4) << 30; ///< bytes of host memory; a launch that needs more is refused
  } options;

  std::string kernel, architecture, machine;
  uint64_t cycles = 0;                         ///< from the first workgroup's dispatch to the last store
  double uncertainty = 0;                      ///< relative (docs/generated/time-model-validation.md); 0: not validated
  std::string uncertaintyNote;                 ///< "16 points on gfx950", "not validated"
  double maximumClock = 0, sustainedClock = 0; ///< MHz: the data sheet's, and under matrix load at the power limit
  double launchTime = 0;                       ///< us, beside the kernel: not in `cycles`. 0: not known
  uint64_t workgroups = 0, replayed = 0;       ///< of the launch; that were replayed
  uint64_t ofSimulated = 0; ///< workgroups of the simulated compute units: those replayed and later rounds
  unsigned computeUnits = 0, simulated = 0;
  unsigned wavesPerSimd = 0;  ///< resident, at most
  std::string occupancyLimit; ///< what allows no more: "VGPRs", "SGPRs", "LDS", "wave slots", "workgroup slots"
  /// Instructions of a recorded workgroup, by those of a workgroup of the launch on average. 1 if only recorded ones were
  /// executed. Where it is far from 1, workgroups differ, and the figures are those of the recorded ones alone.
  double shareOfWork = 1;
  bool workgroupsDiffer() const { return std::abs(shareOfWork - 1) > differenceOfWork; }
  bool timeDependent = false;               ///< waves polled memory: in time they may have polled more or less often
  bool orderDependent = false;              ///< atomics returned values: in time, other waves may have got them
  std::array<double, resourceCount> busy{}; ///< shares of the time, averaged over the simulated units
  double matrixFlops = 0;                   ///< of the launch
  double readBytes = 0, writtenBytes = 0;   ///< of the launch: accessed by lanes
  double memoryBytes = 0;                   ///< of the launch, by its end: between L2 and what is beyond, by the model
  double peakMatrixFlops = 0;               ///< per cycle of the chip, for the launch's own mix of matrix instructions
  double peakMemoryBytes = 0; ///< per cycle of the chip at the maximum clock: what `memoryLevel` allows, if its
                              ///< share of the bytes is as in this launch
  std::string memoryLevel;    ///< what most of `memoryBytes` came from or went to: "MALL" or "HBM"
  std::string bound;          ///< "matrix", "VALU", "LDS", "L2", "HBM", "latency", "issue", ...

  double replaySeconds = 0; ///< that the model itself took, on the clock of the host

  std::vector<TimedInstruction> instructions; ///< by address
  std::vector<TimedLoop> loops;               ///< most cycles first
  std::vector<WaveLine> timeline;             ///< waves of compute unit 0, by SIMD and start

  /// Share of the time that the matrix units are busy.
  double matrixShare() const { return busy[static_cast<unsigned>(Resource::Matrix)]; }
};

/// "+-15 %", or "not validated".
std::string uncertaintyText(const Timing &timing);
/// For people: cycles, rates, bound; stalls by kind; the hottest loops, lines and instructions.
std::string timingText(const Timing &timing, unsigned hottest = 10);
/// The hottest loop, instruction by instruction: the cycles of a trip that each takes, and what it waits for. Empty if
/// there is no loop.
std::string hotLoopText(const Timing &timing);
/// docs/schema/timing.schema.json.
std::string timingJson(const Timing &timing);

} // namespace fly::emulator
