// Loading of modules: looked up next to the importing file, then in `-I` folders, then in the standard library.
#pragma once

#include "compiler/diagnostics/Diagnostics.h"
#include "compiler/sema/module/EmbeddedLibrary.h"
#include "compiler/sema/module/Environment.h"
#include "compiler/syntax/ParsedTexts.h"

#include <deque>
#include <functional>
#include <map>

namespace fly::sema {

class ModuleLoader {
public:
  ModuleLoader(DiagnosticEngine &diags, std::vector<std::string> searchPath, const Environment &environment);

  const Environment &environment;

  /// Registers a parsed file as a module.
  ModuleScope *addMain(std::string name, std::string path, FileId file, std::shared_ptr<const ast::Module> tree);
  /// Finds and parses a module, once; null after a diagnostic. It has not run yet if its state is Loading.
  ModuleScope *load(llvm::StringRef dotted, unsigned level, SourceRange range, const ModuleScope &importer);
  /// A module of the standard library, regardless of other files with its name; null if there is none.
  ModuleScope *loadFromStdlib(llvm::StringRef dotted, SourceRange range);
  bool isStdlib(const ModuleScope &module) const;
  std::string stdlib = embeddedLibrary.str(); ///< its folder
  /// The text of a file that is not the one on the disk, by the file's one path; may be null.
  std::function<std::optional<std::string>(llvm::StringRef path)> unsaved;
  ParsedTexts *parsed = nullptr; ///< what earlier loaders have parsed
  /// The path of a module's file.
  std::optional<std::string> find(llvm::StringRef dotted, llvm::StringRef besidePath, unsigned level) const;
  /// An empty module that only holds imported ones: `a` of `import a.b`.
  ModuleScope *nameSpace(llvm::StringRef dotted) {
    auto scope = std::make_unique<ModuleScope>();
    scope->name = dotted.str();
    scope->state = ModuleScope::State::Ready;
    modules.push_back(std::move(scope));
    return modules.back().get();
  }
  /// A module that is part of the compiler, as `fly.amd` is; null if there is none of that name.
  ModuleScope *builtinModule(llvm::StringRef dotted) { return environment.builtinModule(*this, dotted); }
  const std::deque<std::unique_ptr<ModuleScope>> &all() const { return modules; }

private:
  const std::string &canonical(const std::string &path);
  /// Parses a file as a module, once; null after a diagnostic.
  ModuleScope *loadFile(llvm::StringRef path, llvm::StringRef dotted, SourceRange range);
  DiagnosticEngine &diags;
  std::vector<std::string> searchPath;
  std::deque<std::unique_ptr<ModuleScope>> modules;
  std::map<std::string, std::string> canonicalPaths; ///< the file system is asked once
};

} // namespace fly::sema
