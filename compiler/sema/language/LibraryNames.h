// What the standard library defines, for messages about names that are not found.
#pragma once

#include "compiler/sema/module/ModuleLoader.h"

namespace fly::sema {

/// A public name of a module of the library: `silu` of `fly.activation`.
struct LibraryName {
  std::string module, name;
  std::string import() const { return "from " + module + " import " + name; }
};

/// All of them, of embedded modules and `fly.amd`. Unpacks each module's tree: for errors only.
std::vector<LibraryName> libraryNames(ModuleLoader &loader);
/// Registers, `v` and `vcc`: of `fly.amd.reg`. In a file that is not about instructions they are other things.
std::vector<LibraryName> registerLibraryNames(ModuleLoader &loader);
/// The one of this very name, and the one that is meant: where several modules have it, the first.
std::optional<LibraryName> findIn(llvm::ArrayRef<LibraryName> names, llvm::StringRef name);
std::optional<LibraryName> guessIn(llvm::ArrayRef<LibraryName> names, llvm::StringRef name);

} // namespace fly::sema
