// A walk over statements that collects assignment targets.
#include "compiler/sema/control/AssignedNames.h"
#include "compiler/sema/number/Containers.h"
#include "compiler/syntax/Walk.h"

#include "llvm/Support/Casting.h"

namespace fly::sema {

using llvm::cast;
using llvm::dyn_cast;

void collectTargets(const ast::Expr &target, std::set<std::string> &names, bool elements) {
  if (auto *name = dyn_cast<ast::NameExpr>(&target))
    names.insert(name->name);
  else if (auto *tuple = dyn_cast<ast::TupleExpr>(&target))
    for (auto *element : tuple->elements)
      collectTargets(*element, names, elements);
  else if (auto *list = dyn_cast<ast::ListExpr>(&target))
    for (auto *element : list->elements)
      collectTargets(*element, names, elements);
  else if (auto *star = dyn_cast<ast::StarredExpr>(&target))
    collectTargets(*star->value, names, elements);
  else if (auto *item = elements ? dyn_cast<ast::SubscriptExpr>(&target) : nullptr)
    collectTargets(*item->base, names, elements);
  else if (auto *field = elements ? dyn_cast<ast::AttributeExpr>(&target) : nullptr)
    collectTargets(*field->base, names, elements);
}

static void collect(const ast::Block &block, std::set<std::string> &names, bool elements);

/// The variables that the calls in an expression may change: `xs` of `xs.append(x)`.
static void collectMutated(const ast::Expr *expr, std::set<std::string> &names) {
  if (!expr)
    return;
  ast::walk(*expr, [&](const ast::Expr &part) {
    auto *call = dyn_cast<ast::CallExpr>(&part);
    auto *member = call ? dyn_cast<ast::AttributeExpr>(call->callee) : nullptr;
    if (member && isMutator(member->name))
      collectTargets(*member->base, names, /*elements=*/true);
  });
}

/// The expressions that a statement itself evaluates, without those of the statements in it.
static void collectMutated(const ast::Stmt &stmt, std::set<std::string> &names) {
  switch (stmt.kind) {
  case ast::StmtKind::Expr: return collectMutated(cast<ast::ExprStmt>(stmt).value, names);
  case ast::StmtKind::Assign: return collectMutated(cast<ast::AssignStmt>(stmt).value, names);
  case ast::StmtKind::AugAssign: return collectMutated(cast<ast::AugAssignStmt>(stmt).value, names);
  case ast::StmtKind::AnnAssign: return collectMutated(cast<ast::AnnAssignStmt>(stmt).value, names);
  case ast::StmtKind::If: return collectMutated(cast<ast::IfStmt>(stmt).test, names);
  case ast::StmtKind::For: return collectMutated(cast<ast::ForStmt>(stmt).iterable, names);
  case ast::StmtKind::While: return collectMutated(cast<ast::WhileStmt>(stmt).test, names);
  default: return;
  }
}

static void collect(const ast::Stmt &stmt, std::set<std::string> &names, bool elements) {
  if (elements)
    collectMutated(stmt, names);
  switch (stmt.kind) {
  case ast::StmtKind::Assign:
    for (auto *target : cast<ast::AssignStmt>(stmt).targets)
      collectTargets(*target, names, elements);
    break;
  case ast::StmtKind::AugAssign: collectTargets(*cast<ast::AugAssignStmt>(stmt).target, names, elements); break;
  case ast::StmtKind::AnnAssign:
    if (cast<ast::AnnAssignStmt>(stmt).value)
      collectTargets(*cast<ast::AnnAssignStmt>(stmt).target, names, elements);
    break;
  case ast::StmtKind::If:
    collect(cast<ast::IfStmt>(stmt).body, names, elements);
    collect(cast<ast::IfStmt>(stmt).orelse, names, elements);
    break;
  case ast::StmtKind::For:
    collectTargets(*cast<ast::ForStmt>(stmt).target, names, elements);
    collect(cast<ast::ForStmt>(stmt).body, names, elements);
    break;
  case ast::StmtKind::While: collect(cast<ast::WhileStmt>(stmt).body, names, elements); break;
  case ast::StmtKind::With:
    for (auto &item : cast<ast::WithStmt>(stmt).items)
      if (item.target)
        collectTargets(*item.target, names, elements);
    collect(cast<ast::WithStmt>(stmt).body, names, elements);
    break;
  case ast::StmtKind::Def: names.insert(cast<ast::DefStmt>(stmt).name); break;
  case ast::StmtKind::Class: names.insert(cast<ast::ClassStmt>(stmt).name); break;
  case ast::StmtKind::Import:
    for (auto &imported : cast<ast::ImportStmt>(stmt).names)
      names.insert(!imported.alias.empty() ? imported.alias : imported.name.substr(0, imported.name.find('.')));
    break;
  case ast::StmtKind::ImportFrom:
    for (auto &imported : cast<ast::ImportFromStmt>(stmt).names)
      names.insert(imported.alias.empty() ? imported.name : imported.alias);
    break;
  default: break;
  }
}

static void collect(const ast::Block &block, std::set<std::string> &names, bool elements) {
  for (auto *stmt : block)
    collect(*stmt, names, elements);
}

std::set<std::string> assignedNames(const ast::Stmt &stmt, bool elements) {
  std::set<std::string> names;
  collect(stmt, names, elements);
  return names;
}

std::set<std::string> assignedNames(const ast::Block &block, bool elements) {
  std::set<std::string> names;
  collect(block, names, elements);
  return names;
}

bool mayReturn(const ast::Stmt &stmt) {
  switch (stmt.kind) {
  case ast::StmtKind::Return: return true;
  case ast::StmtKind::If: return mayReturn(cast<ast::IfStmt>(stmt).body) || mayReturn(cast<ast::IfStmt>(stmt).orelse);
  case ast::StmtKind::For: return mayReturn(cast<ast::ForStmt>(stmt).body);
  case ast::StmtKind::While: return mayReturn(cast<ast::WhileStmt>(stmt).body);
  case ast::StmtKind::With: return mayReturn(cast<ast::WithStmt>(stmt).body);
  default: return false;
  }
}

bool mayReturn(const ast::Block &block) {
  return llvm::any_of(block, [](const ast::Stmt *stmt) { return mayReturn(*stmt); });
}

} // namespace fly::sema
