// Where a name is defined and used, through the modules that a file imports.
#pragma once

#include "compiler/editor/Names.h"
#include "compiler/editor/Snapshot.h"

namespace fly::editor {

/// A definition: its name's place, and the statement if it is one of a function, struct or module.
struct Definition {
  SourceRange range;
  const ast::Stmt *statement = nullptr;
  const sema::ModuleScope *module = nullptr; ///< where `range` is in; the module itself if `range` is its beginning
};

class Definitions {
public:
  explicit Definitions(Snapshot &snapshot) : snapshot(snapshot) {}

  const Names &names() { return namesOf(snapshot.tree()); }
  /// Of what stands at the offset; none if it is not a name, or of a name that needs no import.
  std::optional<Definition> at(uint32_t offset);
  /// Of a symbol of this module, or of its member where it is an imported module, as seen from the offset.
  std::optional<Definition> of(const Symbol &symbol, const std::string &member, uint32_t offset) {
    return of(Occurrence{{snapshot.file(), offset, offset}, &symbol, member}, snapshot.tree(), 0);
  }
  /// All places that mean the same, in all modules; `definitions`: those that define it among them.
  std::vector<SourceRange> references(uint32_t offset, bool definitions);

private:
  const Names &namesOf(const ast::Module &tree);
  const sema::ModuleScope *moduleOf(const ast::Module &tree) const;
  const sema::ModuleScope *moduleNamed(const std::string &dotted, unsigned level, const std::string &importer) const;
  std::optional<Definition> of(const Occurrence &occurrence, const ast::Module &tree, unsigned depth);
  std::optional<Definition> member(const sema::ModuleScope *module, const std::string &name, unsigned depth);

  Snapshot &snapshot;
  std::map<const ast::Module *, std::unique_ptr<Names>> known;
};

} // namespace fly::editor
