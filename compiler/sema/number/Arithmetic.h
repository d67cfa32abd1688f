// Arithmetic on machine values.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// The value of a scalar or splat integer constant.
std::optional<llvm::APInt> constantOf(mlir::Value value);
/// Brings two operands to one machine type; reports mixed types.
std::pair<MachineValue, MachineValue> unify(Elaborator &e, const Value &lhs, const Value &rhs, llvm::StringRef op,
                                            SourceRange range, SourceRange opRange, SourceRange lhsRange,
                                            SourceRange rhsRange);
Value machineBinary(Elaborator &e, ast::BinaryOp op, MachineValue lhs, MachineValue rhs, SourceRange range);
Value machineUnary(Elaborator &e, ast::UnaryOp op, MachineValue value, SourceRange range);
/// The quotient of machine integers of `type` (one may be a literal), rounded up.
Value ceilDivide(Elaborator &e, const Value &x, const Value &y, Type type, SourceRange range);
Value minMax(Elaborator &e, bool isMax, const Value &lhs, const Value &rhs, SourceRange range);

} // namespace fly::sema
