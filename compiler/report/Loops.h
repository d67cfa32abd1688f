// The loops of a kernel as a tree, found in its machine code.
//
//     for (const Loop &loop : findLoops(code)) ...           // outer before inner, by address
//
// A natural loop has one header that dominates all of it. Cycles that remain after the back edges of all natural loops
// are removed have several entries (jumps into the middle): such a region is irreducible, and is reported as one.
//
// Not found: cycles through jumps whose targets the code computes. Code::indirectJumps counts these.
#pragma once

#include "compiler/report/Code.h"

#include "llvm/ADT/SmallVector.h"

namespace fly::report {

struct Loop {
  bool irreducible = false;
  llvm::SmallVector<uint32_t, 2> entries; ///< blocks: the header, or of a region all through which it is entered
  llvm::SmallVector<uint32_t, 2> latches; ///< blocks that branch back; none of a region
  std::vector<uint32_t> blocks;           ///< with those of inner loops, ascending
  std::vector<uint32_t> ownBlocks;        ///< without
  std::vector<uint32_t> coldBlocks;       ///< out of line: isa::ControlFlow::outOfLine
  int parent = -1;                        ///< index of the loop around it
  unsigned depth = 1;
  isa::SourceLocation location; ///< of the branch back; invalid without a line table
};

std::vector<Loop> findLoops(const Code &code);
/// `blocks` without the cold ones of a loop.
std::vector<uint32_t> inLine(const Loop &loop, const std::vector<uint32_t> &blocks);

} // namespace fly::report
