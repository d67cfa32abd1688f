// The code objects of a module as an object of the host, for `--emit=obj`.
//
// It defines one byte array per architecture and nothing else, so creating it needs no compiler and any linker accepts
// it. A generated header embeds the code itself, or with FLY_EXTERN_CODE declares these arrays. Their names contain a
// hash of the module, so a header and an object of different builds do not link. They are weak symbols, because equal
// names mean equal bytes.
#pragma once

#include "compiler/artifact/ModuleInfo.h"

namespace fly::artifact {

/// FNV-1a over everything that makes the loaded module what it is.
uint64_t hashOf(const ModuleInfo &module);
/// "fly_code_vec_add_gfx942_0123456789abcdef"
std::string codeSymbol(const ModuleInfo &module, const ArchInfo &arch);
/// A relocatable ELF file for `machine`: "x86_64", "aarch64", "riscv64"; empty is the machine flyc runs on. None, with
/// `problem`, for another one.
std::optional<std::string> toHostObject(const ModuleInfo &module, const std::string &machine, std::string &problem);

} // namespace fly::artifact
