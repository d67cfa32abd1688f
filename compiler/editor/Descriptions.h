// What is known of the thing under the cursor: its value in the first instance of its kernel, its signature, and what
// the manual or its docstring says of it.
#pragma once

#include "compiler/editor/Definitions.h"
#include "compiler/editor/Snapshot.h"

namespace fly::editor {

/// A function as its head: "def f(x, y=1)", with what its decorators say.
std::string headOf(const ast::DefStmt &def, const SourceManager &sources);
/// "exp(x)", and its sentence of the manual, of a function that needs no import or is one of fly.amd.
const sema::Builtin *findBuiltin(llvm::StringRef name);

/// Every expression of a module, those in definitions too.
void walkAll(const ast::Block &block, llvm::function_ref<void(const ast::Expr &)> visit);

/// The name or member at an offset of a tree.
struct Named {
  SourceRange shown, noted; ///< what is to be shown, and the expression whose value that is
  SourceRange base;         ///< of a member
  std::string name;
  bool isAttribute = false;
};
std::optional<Named> namedAt(const ast::Module &tree, uint32_t offset);
/// What is known of it; none if its value was not needed.
std::optional<ValueNote> noteAt(const Snapshot &snapshot, const Named &named);

/// Whether the tree has a name, a member or an imported name that begins at the offset.
bool holdsName(Snapshot &snapshot, uint32_t offset);

struct Description {
  SourceRange range;
  std::string markdown;
};
/// None if nothing is known of what stands there. `hasPictures`: the client shows them; else layouts are tables.
/// `isHurried`: of the kernel there only what this needs is elaborated, and the snapshot may count as stopped.
std::optional<Description> describeAt(Snapshot &snapshot, uint32_t offset, bool hasPictures, bool isHurried);

} // namespace fly::editor
