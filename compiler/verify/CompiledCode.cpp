// What code of LLVM's never has, and hand-written code may: only looked at in what flyc has just compiled.
#include "compiler/verify/Program.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::verify {

static bool concernsScc(const isa::Instruction &instruction, bool writes) {
  return llvm::any_of(instruction.operands, [&](const isa::Operand &operand) {
    return operand.isSpecial(isa::Special::SCC) && operand.def == writes;
  });
}

void findInCompiledCode(Program &program) {
  auto blocks = program.flow.blocks();
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    if (!program.flow.reachable(b))
      continue;
    bool isWritten = false;
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
        program.found({findRule("scc"), i, i, "SCC is read, and nothing in this block has written it", "LLVM", {}});
      isWritten |= concernsScc(instruction, /*writes=*/true);
    }
  }
}

} // namespace fly::verify
