// Assembly and relocatable objects as inputs: what they have to go through to be what the loader would see.
//
//     std::string arch = architectureIn(text);                    // ".amdgcn_target" -> "gfx942"
//     auto object = isa::assembleObject(targetIn(text), text);    // relocatable
//     auto loadable = codegen::linkForeignObject(*object);
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace fly::driver {

/// The architecture that a file of assembly names itself, by `.amdgcn_target` or in its metadata; else empty.
std::string architectureIn(llvm::StringRef assembly);
/// The same with its settings of XNACK and SRAM ECC, which the assembler wants to know: "gfx942:sramecc+:xnack-".
std::string targetIn(llvm::StringRef assembly);

/// Whether this is an AMD GPU object that was not linked.
bool isRelocatable(llvm::StringRef bytes);

} // namespace fly::driver
