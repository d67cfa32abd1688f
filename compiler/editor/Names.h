// Which definition each name of a file means, from its tree alone: so also in functions that are never called, and in a
// file with errors. Scopes are those of the language (sema/language/Resolver.cpp): a module, functions, lambdas,
// comprehensions; the names of a class are those of its instances and no scope of its methods.
#pragma once

#include "compiler/syntax/AST.h"

#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace fly::editor {

/// A name of one scope.
struct Symbol {
  enum class Kind { Variable, Parameter, Function, Struct, Import, Module } kind = Kind::Variable;
  std::string name;
  std::vector<SourceRange> bindings;     ///< where it gets a value, in the order of the text
  const ast::Stmt *definition = nullptr; ///< a DefStmt, ClassStmt, ImportStmt or ImportFromStmt
  const ast::ImportedName *imported = nullptr;
  bool isGlobal = false; ///< of the module
  bool isMember = false; ///< a field or method: bound in a class
};

struct Occurrence {
  SourceRange range;
  const Symbol *symbol;
  std::string member; ///< `a.b`, where `a` is an imported module: `b`, whose place this is; else empty
};

class Names {
public:
  Names(const ast::Module &module, const SourceManager &sources);

  /// The occurrence that holds the offset, or ends there.
  const Occurrence *at(uint32_t offset) const;
  const std::vector<Occurrence> &all() const { return occurrences; }
  /// What a name at module level means; null if there is no such.
  const Symbol *global(llvm::StringRef name) const;
  /// All names that can be used at the offset, inner ones first.
  std::vector<const Symbol *> visibleAt(uint32_t offset) const;

private:
  friend class NameReader;
  struct Scope {
    const Scope *outer = nullptr;
    bool isClass = false;
    SourceRange range;
    std::map<std::string, Symbol *> names;
  };
  std::deque<Scope> scopes; ///< the module's first
  std::deque<Symbol> symbols;
  std::vector<Occurrence> occurrences; ///< in the order of the text
};

} // namespace fly::editor
