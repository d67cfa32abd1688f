// Which variables a statement may assign: what a run-time loop must carry, what an error leaves unknown.
#pragma once

#include "compiler/syntax/AST.h"

#include <set>
#include <string>

namespace fly::sema {

/// Names of the current scope that running the statement may bind; nested functions and comprehensions have their own
/// scopes.
std::set<std::string> assignedNames(const ast::Stmt &stmt, bool elements = true);
std::set<std::string> assignedNames(const ast::Block &block, bool elements = true);
/// The names that a target expression binds or, for `a[i] = x` and with `elements`, changes.
void collectTargets(const ast::Expr &target, std::set<std::string> &names, bool elements = true);
/// Whether running the statement or block may leave the function.
bool mayReturn(const ast::Stmt &stmt);
bool mayReturn(const ast::Block &block);

} // namespace fly::sema
