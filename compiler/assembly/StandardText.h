// A code object as standard assembly: a text that llvm-mc assembles, and ld.lld links, to the same machine code,
// descriptors and metadata, with the source lines as `.file` and `.loc`. What `flyc build --emit=asm` writes.
//
// Everything is taken from the finished object, so the text also has what was mended after LLVM wrote its own. Where the
// assembler would choose other bytes than those that are there, a `.long` gives them, and a comment the instruction; a
// descriptor that no directives make is data.
#pragma once

#include "compiler/isa/CodeObject.h"

namespace fly::assembly {

/// The text, with a first line that says how to assemble it. An error is the decoder's.
llvm::Expected<std::string> standardText(const isa::CodeObject &object);

} // namespace fly::assembly
