// See LibraryNames.h.
#include "compiler/sema/language/LibraryNames.h"

#include "compiler/sema/control/AssignedNames.h"
#include "compiler/sema/module/EmbeddedLibrary.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::sema {

/// What a module itself defines, without what it imports.
static ast::Block definitionsOf(const ast::Module &tree) {
  ast::Block out;
  for (auto *stmt : tree.body)
    if (!llvm::isa<ast::ImportStmt>(stmt) && !llvm::isa<ast::ImportFromStmt>(stmt))
      out.push_back(stmt);
  return out;
}

std::vector<LibraryName> libraryNames(ModuleLoader &loader) {
  std::vector<LibraryName> all;
  if (auto *module = loader.builtinModule(amdModule))
    for (auto &[name, value] : module->names)
      all.push_back({amdModule.str(), name});
  for (const std::string &path : embeddedPaths())
    if (auto tree = embeddedTree(path, {}))
      for (const std::string &name : assignedNames(definitionsOf(*tree), /*elements=*/false))
        if (!llvm::StringRef(name).starts_with("_"))
          all.push_back({libraryModuleAt(path), name});
  return all;
}

std::vector<LibraryName> registerLibraryNames(ModuleLoader &loader) {
  constexpr llvm::StringLiteral registers = "fly.amd.reg";
  std::vector<LibraryName> all;
  if (auto *module = loader.builtinModule(registers))
    for (auto &[name, value] : module->names)
      all.push_back({registers.str(), name});
  return all;
}

std::optional<LibraryName> findIn(llvm::ArrayRef<LibraryName> names, llvm::StringRef name) {
  auto found = llvm::find_if(names, [&](const LibraryName &each) { return each.name == name; });
  return found == names.end() ? std::nullopt : std::optional(*found);
}

std::optional<LibraryName> guessIn(llvm::ArrayRef<LibraryName> names, llvm::StringRef name) {
  std::vector<std::string> candidates;
  for (const LibraryName &each : names)
    candidates.push_back(each.name);
  const auto guess = didYouMean(name, candidates);
  return guess ? findIn(names, *guess) : std::nullopt;
}

} // namespace fly::sema
