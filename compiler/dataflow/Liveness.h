// How many registers of each file hold a value that is still needed, before each instruction.
//
//     Liveness live(flow, effects, initial);
//     live.before(i).vgprs;                  // registers, not granules
//
// A register is live at a point if on some path from there it is read before it is written, and on some path to there
// it was written (or is set up when the code begins). The second half keeps reads of undefined registers, which
// compilers emit where the value does not matter, from being live since the entry.
//
// Which writes end a live range is the caller's to say: `effects` has for each instruction what it reads, what it
// writes as a whole, and what it writes in part, which ends nothing. compiler/report counts as LLVM's register allocator
// does. The allocator of ISA mode (compiler/assembly/Liveness.h) needs more: lanes that EXEC leaves out.
#pragma once

#include "compiler/dataflow/Units.h"
#include "compiler/isa/ControlFlow.h"

#include "llvm/ADT/BitVector.h"

namespace fly::dataflow {

/// What one instruction does to the registers of Units.h.
struct RegisterEffects {
  llvm::SmallVector<unsigned, 16> reads;
  llvm::SmallVector<unsigned, 8> writes;  ///< all of a register
  llvm::SmallVector<unsigned, 4> partial; ///< a part of it, or perhaps
};

struct LiveCount {
  uint16_t vgprs = 0, agprs = 0, sgprs = 0;
};

class Liveness {
public:
  /// `initial`: the registers that are set when the code begins. The graph stays the caller's.
  Liveness(const isa::ControlFlow &flow, std::vector<RegisterEffects> effects, const llvm::BitVector &initial);
  LiveCount before(uint32_t instruction) const { return counts[instruction]; }
  /// The largest count of each file and the first instruction that has it.
  struct Peak {
    LiveCount most;
    uint32_t vgprsAt = 0, agprsAt = 0, sgprsAt = 0;
  };
  Peak peak() const;
  /// The live registers themselves: recomputed from the end of the block.
  llvm::BitVector registersBefore(uint32_t instruction) const;

private:
  const isa::ControlFlow &flow;
  std::vector<RegisterEffects> effects;
  std::vector<llvm::BitVector> neededAfter, definedBefore; ///< by block
  std::vector<LiveCount> counts;
};

} // namespace fly::dataflow
