// What a time model needs to know about a run: what each wave executed, in order, with the lines of memory and the
// cycles of LDS that its accesses need.
//
// The trace is compact, since a matrix product of 4096^3 executes millions of instructions. An instruction is one word,
// its number in `Trace::code`; waves that took the same path share it. A memory instruction also has a MemoryUse, in
// the order of execution. The lines that a wave's lanes touch are sorted, distinct, and stored as runs, since
// consecutive lanes usually touch consecutive lines.
//
// Functional order is all that the trace has. Where the time of one wave would change what another one does (polling,
// the order of atomics), the trace shows what happened in the emulator.
#pragma once

#include "compiler/target/LdsBanks.h"
#include "runtime/emulator/timing/Machine.h"
#include "runtime/emulator/wave/Program.h"
#include "runtime/emulator/wave/Observer.h"

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <unordered_map>

namespace fly::emulator {

inline constexpr unsigned lineBytes = 128; ///< of L1 and L2 caches, of all machines modelled

/// Consecutive lines: the first one's number (address / lineBytes) and how many.
struct LineRun {
  uint64_t first : 48, count : 16;
};

/// What one executed memory instruction accesses. For a barrier: its number.
struct MemoryUse {
  uint32_t runs = 0;                    ///< of lines in global memory; they follow those of the wave's earlier uses
  uint32_t requests = 0;                ///< different 64-byte parts of lines
  uint32_t ldsCycles = 0, ldsIdeal = 0; ///< phases of LDS, with and without bank conflicts
  uint32_t ldsBytes = 0;                ///< of all lanes
  uint8_t laneBytes = 0; ///< of a lane's access to global memory; 255: or more, a row of the tensor mover
  bool reads : 1 = false, writes : 1 = false, atomic : 1 = false; ///< global memory
  bool ldsReads : 1 = false, ldsWrites : 1 = false, ldsUnaligned : 1 = false;
  int8_t barrier = 0;
};

struct WaveTrace {
  uint64_t unit = 0;                                 ///< workgroup or cluster
  uint32_t group = 0, wave = 0;                      ///< workgroup within the unit, wave within the workgroup
  std::shared_ptr<const std::vector<uint32_t>> path; ///< numbers in Trace::code
  std::vector<MemoryUse> uses;
  std::vector<LineRun> runs;
  uint64_t readBytes = 0, writtenBytes = 0; ///< of all lanes
};

/// An instruction that some wave executed.
struct TracedInstruction {
  isa::Instruction instruction;
  std::string text, file;
  std::vector<RegisterRange> ranges;
  bool hasUse = false; ///< each execution has a MemoryUse
};

class Trace {
public:
  std::deque<TracedInstruction> code;
  std::vector<WaveTrace> waves; ///< by unit, group and wave, once sorted
  uint64_t probe = 0;           ///< units with lower numbers are counted when they have been added

  /// The number of an instruction; from any thread.
  uint32_t numberOf(Program &program, const Inst &inst);
  std::shared_ptr<const std::vector<uint32_t>> share(std::vector<uint32_t> &&path);
  void add(WaveTrace &&wave);
  void sort();
  /// Of the waves of the units below `probe`, and of the instructions those of every `xcds`-th unit.
  struct Probed {
    uint64_t waves = 0;
    double instructions = 0, instructionsOfFirst = 0, bytes = 0;
  };
  Probed probed(uint64_t xcds);
  /// Removes the waves of units for which `is` is true.
  void removeIf(const std::function<bool(uint64_t unit)> &is);
  /// Bytes of memory that the waves' traces take.
  uint64_t bytes() const { return memory.load(std::memory_order_relaxed); }

private:
  uint64_t bytesOf(const WaveTrace &wave) const {
    return sizeof wave + wave.uses.size() * sizeof(MemoryUse) + wave.runs.size() * sizeof(LineRun);
  }
  std::mutex mutex;
  std::unordered_map<uint64_t, uint32_t> numbers;                                                ///< by address
  std::unordered_map<uint64_t, std::vector<std::shared_ptr<const std::vector<uint32_t>>>> paths; ///< by hash
  std::atomic<uint64_t> memory{0};
};

class TimeModel;

/// Records one wave at a time, of the units that the model records; each wave that runs has one.
class WaveRecorder final : public WaveObserver {
public:
  WaveRecorder(TimeModel &model, Trace &trace, std::string_view arch, unsigned waveSize);
  void begin(Wave &wave, const WaveStart &start) override;
  void instruction(Wave &wave, const Inst &inst) override {
    uint32_t number = inst.number < numbers.size() ? numbers[inst.number] : unknown;
    if (number == unknown) [[unlikely]]
      number = learn(wave, inst);
    path.push_back(number & ~withUse);
    if (number & withUse) use(wave, inst);
  }
  void access(Wave &wave, const Inst &inst, const MemoryEvent &event) override;
  std::string refusal(const Wave &wave) override;
  /// Bytes of the wave's trace so far.
  uint64_t bytes() const {
    return path.size() * sizeof(uint32_t) + current.uses.size() * sizeof(MemoryUse) +
           current.runs.size() * sizeof(LineRun);
  }
  /// Hands the trace over.
  void end(Wave &wave) override;

private:
  static constexpr uint32_t unknown = ~0u, withUse = 1u << 31;
  uint32_t learn(Wave &wave, const Inst &inst);
  void use(Wave &wave, const Inst &inst);
  void global(const MemoryEvent &event);
  void lds(const MemoryEvent &event);

  TimeModel &model;
  Trace &trace;
  std::vector<uint32_t> numbers; ///< by Inst::number
  std::vector<uint32_t> path;
  WaveTrace current;
  target::LdsRule rules[2][17]; ///< by write, bytes
  std::vector<uint64_t> parts;  ///< of the current access: the 64-byte parts of memory that it touches
};

} // namespace fly::emulator
