// A walk over an expression: every node in it, the expression itself first.
//
// Only for questions that have the same answer for all kinds of nodes ("does it name x?"); code that treats kinds
// differently switches over them.
#pragma once

#include "compiler/syntax/AST.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace fly::ast {

void walk(const Expr &expr, llvm::function_ref<void(const Expr &)> visit);

} // namespace fly::ast
