// A walk over an expression or over statements: every node in it, an expression before its parts.
//
// Only for questions that have the same answer for all kinds of nodes ("does it name x?"); code that treats kinds
// differently switches over them.
#pragma once

#include "compiler/syntax/AST.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace fly::ast {

void walk(const Expr &expr, llvm::function_ref<void(const Expr &)> visit);
/// Every expression of the statements and of those in them, without definitions of functions and classes.
void walk(const Block &block, llvm::function_ref<void(const Expr &)> visit);

} // namespace fly::ast
