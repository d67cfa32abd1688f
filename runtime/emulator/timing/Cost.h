// What an instruction costs by itself on a machine: its unit, for how long it occupies that, when its results can be
// read, and what it does to the wave. Worked out once per instruction of the trace.
#pragma once

#include "runtime/emulator/timing/Timing.h"
#include "runtime/emulator/timing/Trace.h"

namespace fly::emulator {

/// What an instruction needs a slot of. A SIMD issues at most one of each in a turn, from different waves.
enum class Slot : uint8_t { Vector, Scalar, ScalarMemory, VectorMemory, Lds, Branch, Message, None };

struct Cost {
  enum Special : uint8_t { Plain, Wait, Barrier, End, Priority, Invalidate };
  Slot slot = Slot::None;
  Special special = Plain;
  bool matrix = false;
  bool transcendental = false;
  bool packed = false;     ///< packed f32, v_pk_mov or a dot product
  bool vectorPipe = false; ///< a copy to or from LDS, or of the tensor mover, that also needs a turn of the VALU
  bool hasUse = false;     ///< each execution has a MemoryUse
  bool signals = false, waits = false; ///< barriers: which half; S_BARRIER has both
  uint8_t priority = 0;
  uint32_t busy = 0;                   ///< cycles of the unit: vector or matrix
  uint32_t latency = 0;                ///< until results can be read; 0: counters tell
  uint32_t issue = 0;                  ///< transcendental: cycles in which no other VALU instruction starts
  uint32_t head = 0;                   ///< matrix: cycles in which no VALU instruction starts
  uint32_t packedGap = 0;              ///< matrix: from the issue until packed f32 and dot products start
  const std::string *window = nullptr; ///< matrix: instead of `head` (Machine::MatrixCycles::window)
  uint32_t pause = 0;                  ///< cycles before the wave's next instruction, beyond the turn
  double flops = 0;
  isa::CounterMask increments = 0;
  isa::Waits limits;                ///< of a wait
  uint64_t address = 0, target = 0; ///< target: of a direct branch, else 0
  uint32_t line = 0;                ///< of code, in units of 64 bytes
  bool branch = false;
  const std::vector<RegisterRange> *ranges = nullptr;
};

/// Costs by number in `trace.code`.
std::vector<Cost> costsOf(const Trace &trace, const Machine &machine, unsigned waveSize);

/// What a wait for the counter is a wait for. Of gfx9's lgkmcnt: LDS.
Stall stallOf(isa::Counter counter);

} // namespace fly::emulator
