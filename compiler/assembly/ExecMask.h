// What is known of EXEC along the paths of a program: where it has all lanes that matter, and between which
// instructions it stays the same.
#pragma once

#include "compiler/assembly/Paths.h"

namespace fly::assembly {

class ExecMask {
public:
  ExecMask(llvm::ArrayRef<isa::Instruction> code, const Paths &paths, unsigned waveSize);

  /// Before the instruction, EXEC has all lanes: it is what the wave started with, or was set to -1.
  bool isFull(uint32_t instruction) const { return full[instruction]; }
  /// The instruction writes EXEC, or calls what may.
  bool changesAt(uint32_t instruction) const { return changes[instruction]; }
  /// At the beginning of the block EXEC may have one of several values, a new one each time.
  bool mergesAt(uint32_t block) const { return merges[block]; }

private:
  std::vector<bool> full, changes, merges;
};

/// Whether an instruction reads its VGPRs only in the lanes that EXEC has, each lane its own.
bool readsOwnLanes(const isa::Instruction &instruction);

} // namespace fly::assembly
