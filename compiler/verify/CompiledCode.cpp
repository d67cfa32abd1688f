// What code of LLVM's never has, and hand-written code may: only looked at in what flyc has just compiled.
#include "compiler/verify/Program.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::verify {

static bool concernsScc(const isa::Instruction &instruction, bool writes) {
  return llvm::any_of(instruction.operands, [&](const isa::Operand &operand) {
    return operand.isSpecial(isa::Special::SCC) && operand.def == writes;
  });
}

/// By block: whether SCC has been written on every way to its start. LLVM divides blocks late, and what follows a branch
/// may go on with the SCC from before it.
static llvm::SmallVector<bool> sccWrittenBefore(const Program &program) {
  auto blocks = program.flow.blocks();
  llvm::SmallVector<bool> before(blocks.size(), true), writes(blocks.size(), false);
  for (uint32_t b = 0; b < blocks.size(); ++b)
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i)
      writes[b] = writes[b] || concernsScc(program.code[i], /*writes=*/true);
  for (bool changes = true; changes;) {
    changes = false;
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      const bool isWritten =
          !blocks[b].predecessors.empty() && llvm::all_of(blocks[b].predecessors, [&](uint32_t from) {
            return !program.flow.reachable(from) || before[from] || writes[from];
          });
      if (before[b] && !isWritten)
        before[b] = false, changes = true;
    }
  }
  return before;
}

void findInCompiledCode(Program &program) {
  auto blocks = program.flow.blocks();
  const llvm::SmallVector<bool> before = sccWrittenBefore(program);
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    if (!program.flow.reachable(b))
      continue;
    bool isWritten = before[b];
    for (uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      const isa::Instruction &instruction = program.code[i];
      if (instruction.op == isa::Op::Invalid)
        program.found({findRule("encoding"),
                       i,
                       i,
                       "these bytes are not an instruction of " + std::string(program.target.name),
                       "LLVM",
                       {}});
      else if (concernsScc(instruction, /*writes=*/false) && !isWritten)
        program.found({findRule("scc"), i, i, "SCC is read, and is not written on every way to it", "LLVM", {}});
      isWritten |= concernsScc(instruction, /*writes=*/true);
    }
  }
}

} // namespace fly::verify
