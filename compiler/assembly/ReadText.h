// The assembler's text of one instruction, taken apart: name, operands, modifiers. The inverse of isa::textOf, for
// texts as LLVM prints them.
#pragma once

#include "compiler/isa/Assembly.h"

#include <optional>

namespace fly::assembly {

/// `verbatim`: operands stay the text that they are. None if the text has another form.
std::optional<isa::AsmInstruction> readInstruction(llvm::StringRef text, bool verbatim);

} // namespace fly::assembly
