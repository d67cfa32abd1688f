// The control-flow graph of a kernel: basic blocks, edges, loops' back edges by dominance.
//
//     ControlFlow flow(instructions);
//     for (const Block &b : flow.blocks()) for (uint32_t s : b.successors) ...
//
// Blocks are in address order; block 0 is the entry. It works on any list of instructions that are in address order:
// a branch to an address that is not in the list has no edge and is in `Block::leaves`.
#pragma once

#include "compiler/isa/Instruction.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace fly::isa {

struct Block {
  uint32_t first = 0, last = 0;              ///< instructions [first, last) of the list
  llvm::SmallVector<uint32_t, 2> successors; ///< blocks; the fall-through one first
  llvm::SmallVector<uint32_t, 2> predecessors;
  bool leaves = false; ///< a jump out of the list, or through a register, or off its end
};

/// s_swappc, s_call.
bool isCall(const Instruction &instruction);

class ControlFlow {
public:
  explicit ControlFlow(llvm::ArrayRef<Instruction> instructions);
  llvm::ArrayRef<Block> blocks() const { return blockList; }
  /// The block of an instruction, by its number in the list.
  uint32_t blockOf(uint32_t instruction) const { return blockNumbers[instruction]; }
  /// The immediate dominator of a block; the entry's and an unreachable block's is itself.
  uint32_t immediateDominator(uint32_t block) const { return dominators[block]; }
  bool dominates(uint32_t a, uint32_t b) const;
  bool reachable(uint32_t block) const { return order[block] != ~0u; }

  /// A natural loop: all blocks from which the latch is reached without passing the header.
  struct Loop {
    uint32_t header;
    llvm::SmallVector<uint32_t, 2> latches;
    std::vector<uint32_t> blocks;
  };
  /// One loop a header, in order of headers.
  std::vector<Loop> loops() const;
  /// Blocks of a loop that lie before or after the run of those that each iteration passes, and that this run does not
  /// fall into: code for rare cases, out of line. None if they are more than half of the loop: then they are its body.
  std::vector<uint32_t> outOfLine(llvm::ArrayRef<uint32_t> headers, llvm::ArrayRef<uint32_t> latches,
                                  llvm::ArrayRef<uint32_t> blocks) const;

private:
  std::vector<Block> blockList;
  std::vector<uint32_t> blockNumbers, dominators, order; ///< order: number in reverse post-order, ~0 if unreachable
  void computeDominators();
};

} // namespace fly::isa
