// The standard library as part of the program, so that flyc is one file that works wherever it is copied. FLY_STDLIB
// names a folder that takes its place (Session.cpp).
#pragma once

#include "compiler/syntax/AST.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fly::sema {

/// Stands for a folder in paths of embedded modules: "<stdlib>/fly/math.fly".
inline constexpr llvm::StringLiteral embeddedLibrary = "<stdlib>";

inline bool isEmbedded(llvm::StringRef path) {
  return path.starts_with(embeddedLibrary) && path.drop_front(embeddedLibrary.size()).starts_with("/");
}
/// The text of an embedded module; none if there is no such path.
std::optional<llvm::StringRef> embeddedText(llvm::StringRef path);
/// The paths of all embedded modules.
std::vector<std::string> embeddedPaths();
/// "fly.math" for "<stdlib>/fly/math.fly".
std::string libraryModuleAt(llvm::StringRef path);
/// The module that is part of the compiler.
inline constexpr llvm::StringLiteral amdModule = "fly.amd";
/// The names of all modules of the library.
std::vector<std::string> libraryModules();
/// The tree of an embedded module, made of its text while flyc was built; null if there is no such path.
std::unique_ptr<ast::Module> embeddedTree(llvm::StringRef path, FileId file);

} // namespace fly::sema
