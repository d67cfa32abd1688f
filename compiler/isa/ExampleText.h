// The examples of an OpcodeList as instructions whose operands can be replaced.
#pragma once

#include "compiler/isa/Assembly.h"

namespace fly::isa {

/// "v_add_f32_e64 v4, v5, v6 clamp" as name, operands and modifiers. The name keeps its encoding; a modifier is its
/// whole text.
AsmInstruction parseExample(llvm::StringRef text);

/// A and B of an instruction `_f8f6f4` have a format each, and as many registers as that needs. LLVM has opcodes for
/// some of the pairs; these are examples of all.
std::vector<AsmInstruction> withFormats(const AsmInstruction &example);

} // namespace fly::isa
