// Assembles a whole file of assembly to a relocatable ELF object, as llvm-mc does: sections, symbols, kernel
// descriptors, metadata, line tables.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace fly::isa {

/// A text as a string of the assembler, `"..."`: names of files, and what `.asciz` takes.
std::string quotedText(llvm::StringRef text);

/// The object's bytes. `architecture` may have settings, as `.amdgcn_target` has: "gfx942:sramecc+:xnack-". The error has the assembler's messages, a line each: "line 3: unknown directive".
llvm::Expected<std::string> assembleObject(llvm::StringRef architecture, llvm::StringRef text, unsigned waveSize = 0);

} // namespace fly::isa
