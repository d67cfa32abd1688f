// What is said of an instruction that the assembler refuses.
#pragma once

#include "compiler/assembly/Program.h"
#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// One half of an instruction while its arguments are read.
struct IsaHalf {
  isa::AsmInstruction assembly;
  std::vector<std::optional<assembly::Reference>> references;
  std::vector<SourceRange> operandRanges, modifierRanges;
  std::vector<std::string> operandTexts;
};

/// Reports the mistake at the argument that is wrong, with what would be right, and throws Failed. `whole` is what
/// `error` is about, `halves` where its parts stand in the source.
[[noreturn]] void refuseInstruction(Elaborator &e, isa::Assembler &assembler, const isa::AsmInstruction &whole,
                                    const isa::AsmError &error, llvm::ArrayRef<IsaHalf> halves, SourceRange range);

} // namespace fly::sema
