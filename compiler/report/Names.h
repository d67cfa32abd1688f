// Names of kernels as their authors wrote them.
//
//     symbol      _Z4gemmILi128EDF16_EvPKT0_i
//     demangled   void gemm<128, _Float16>(_Float16 const*, int)
//     base        gemm
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace fly::report {

/// Empty if the symbol is not a mangled name.
std::string demangled(llvm::StringRef symbol);
/// Readable in a line: template arguments within others, and after that whatever is still too long, become "...".
std::string shortened(llvm::StringRef demangled, size_t width = 100);
/// Without result type, template arguments and parameters; the symbol itself if it is not mangled.
std::string baseName(llvm::StringRef symbol);
/// The symbol that `given` means: a symbol of the list; else the only one whose demangled name, base name (with or
/// without its namespaces) it is; else `given` itself.
std::string resolveName(llvm::StringRef given, llvm::ArrayRef<std::string> symbols);

} // namespace fly::report
