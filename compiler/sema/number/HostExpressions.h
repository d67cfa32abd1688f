// Launch-time expressions: numbers that are known when a kernel is launched.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

Value hostBinary(Elaborator &e, ast::BinaryOp op, const Value &lhs, const Value &rhs, SourceRange range);
Value hostCompare(Elaborator &e, ast::CompareOp op, const Value &lhs, const Value &rhs, SourceRange range);
host::ExprRef toHostExpr(Elaborator &e, const Value &value, host::ExprKind kind, SourceRange range);
/// Emits the expression in the kernel, where `parameters` are its arguments.
MachineValue emitHostExpr(Elaborator &e, const host::Expr &expr, const Values &parameters, unsigned bits,
                          SourceRange range);

} // namespace fly::sema
