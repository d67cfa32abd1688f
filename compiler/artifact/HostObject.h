// The code objects of a module as an object of the host, for `--emit=obj`.
//
// It defines one array of bytes for each architecture and nothing else, so no compiler is needed to make it and any
// linker takes it. A generated header embeds the code itself, or with FLY_EXTERN_CODE declares these arrays. Their names
// hold a hash of the whole module: header and object of different builds do not link. They are weak, as equal names
// mean equal bytes.
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
