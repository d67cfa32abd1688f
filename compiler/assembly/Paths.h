// Where execution goes in a program, jumps through registers included.
//
//     s_call_b64 s[30:31], sum                goes to `sum`
//     v_add_f32 ...                           <- and `sum`'s `s_setpc_b64 s[30:31]` comes back here
//
// A jump through a register goes to one of the places after calls, for all that is known, or to code that nothing else
// leads to: `hasComputedJump` says that code which is not `reached` may run all the same.
#pragma once

#include "compiler/isa/ControlFlow.h"

namespace fly::assembly {

class Paths {
public:
  /// The instructions of a program, by address.
  explicit Paths(llvm::ArrayRef<isa::Instruction> code);

  llvm::ArrayRef<isa::Block> blocks() const { return flow.blocks(); }
  llvm::ArrayRef<uint32_t> successors(uint32_t block) const { return next[block]; }
  llvm::ArrayRef<uint32_t> predecessors(uint32_t block) const { return previous[block]; }
  bool reached(uint32_t block) const { return isReached[block]; }
  bool reachedAt(uint32_t instruction) const { return isReached[flow.blockOf(instruction)]; }
  bool hasComputedJump() const { return computed; }
  /// The instruction after which execution runs off the end; none if it does not.
  std::optional<uint32_t> runsOff() const { return off; }

  const isa::ControlFlow flow;

private:
  std::vector<llvm::SmallVector<uint32_t, 2>> next, previous;
  std::vector<bool> isReached;
  bool computed = false;
  std::optional<uint32_t> off;
};

/// A jump or a call to an address in a register.
bool isComputedJump(const isa::Instruction &instruction);

} // namespace fly::assembly
