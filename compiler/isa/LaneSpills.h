// Scalar registers that a compiler keeps in lanes of a vector register because it has too few.
//
//     v_writelane_b32 v40, s12, 3     a spill of s12
//     v_readlane_b32 s20, v40, 3      it comes back
//
// LLVM counts those that it plans, but not all that its allocator makes of them afterwards: a loop with 400 such moves
// came with a count of 0. So they are counted in the code. A vector register holds spills if nothing but these two
// instructions, with constant lanes, uses it; it may be saved elsewhere as a whole.
#pragma once

#include "compiler/isa/Instruction.h"

#include "llvm/ADT/ArrayRef.h"

namespace fly::isa {

struct LaneSpills {
  uint32_t registers = 0; ///< lanes that are written and read: scalar registers at different times
  uint32_t moves = 0;     ///< instructions that write and read them
};

LaneSpills laneSpills(llvm::ArrayRef<Instruction> code);
/// Whether an instruction of the code is one of these moves, by number.
std::vector<bool> movesOfLaneSpills(llvm::ArrayRef<Instruction> code);

} // namespace fly::isa
