// Private: what all analyses of one kernel share.
#pragma once

#include "compiler/verify/Verify.h"

namespace fly::verify {

struct Program {
  llvm::ArrayRef<isa::Instruction> code;
  const isa::ControlFlow &flow;
  const target::Target &target;
  const Options &options;
  Result &result;

  bool isCall(uint32_t instruction) const;
  /// Adds a gap; places of the same kind are counted, and the first is kept.
  void gap(uint32_t instruction, const std::string &why);
  /// Adds an error, a doubt or a hint, unless its rule is off.
  void found(Finding finding);
  /// The jumps on a shortest way from `first` to `second`; empty within a block.
  std::vector<uint32_t> path(uint32_t first, uint32_t second) const;
};

/// Calls, jumps and state that the proof does not follow.
void findGaps(Program &program);
/// Registers that are used before the memory operation that fills them has been waited for.
void findEarlyUses(Program &program);
/// Instructions that come too close.
void findDistances(Program &program);
/// What a compiler's code never does.
void findInCompiledCode(Program &program);
/// Reads of LDS that a copy of the wave is still filling.
void findLdsCopies(Program &program);
void findHints(Program &program);

} // namespace fly::verify
