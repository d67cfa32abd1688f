// The layout algebra's values in the language: layouts, swizzles, tiles, and leaves that are not integers.
//
// Shapes, strides and coordinates are the language's own tuples of integers; only `_`, a step along a mode (`E(0)`,
// printed `1@0`) and a number that is not known (`?`) have a value of their own. A layout is plain compile-time data:
// it is copied, compared and printed like a tuple. Calling it with machine coordinates gives a machine value
// (LayoutCalls.h).
#pragma once

#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/value/LayoutObject.h"

namespace fly::sema {

/// A tuple of the algebra as one of the language; leaves whose handles are machine values become those.
Value fromTuple(const layout::IntTuple &tuple);
/// A tuple as one of the algebra; `what` is "a shape". None, `:` and `_` are kept modes; in a kernel, machine integers
/// become leaves with handles (LayoutCalls.h).
layout::IntTuple toTuple(Elaborator &e, const Value &value, SourceRange range, llvm::StringRef what);

// The language's operations on these values (LayoutObjects.cpp).

/// `layout[(8, 16):(1, 8)]`, and `layout[(8, 16)]`, which is column-major.
Value layoutLiteral(Elaborator &e, const ast::SubscriptExpr &expr);
/// `layout("((8),16):((1),8)")`.
Value layoutOfText(Elaborator &e, const Arguments &arguments, SourceRange range);
/// `L((1, 2))`, `L(1, 2)`, `L(_, 2)`, `swizzle(3, 3, 3)(x)`.
Value callLayout(Elaborator &e, const LayoutValue &callee, const Arguments &arguments, SourceRange range);
/// `L[i]`, `L[i, j]`: mode i, and mode j of it.
Value layoutMode(Elaborator &e, const LayoutValue &base, const Values &items, SourceRange range,
                 const std::vector<SourceRange> &itemRanges);
Value layoutAttribute(Elaborator &e, const LayoutValue &base, llvm::StringRef name, SourceRange range,
                      SourceRange nameRange);
Value layoutMethod(Elaborator &e, const LayoutValue &self, llvm::StringRef name, const Arguments &arguments,
                   SourceRange range);
/// The modes of a layout, for loops and `*`; none of other values.
std::optional<Values> layoutModes(const LayoutValue &value);
/// Arithmetic of steps and unknown numbers: `E(0) * 4`, `E(0) + E(1)`.
Value layoutBinary(Elaborator &e, ast::BinaryOp op, const Value &lhs, const Value &rhs, SourceRange range);

// Names of the prelude that mean more than layouts.
Value zipLayouts(Elaborator &e, BoundCall &call);
Value filterLayout(Elaborator &e, BoundCall &call);
Value ceilDivideTuples(Elaborator &e, BoundCall &call);

} // namespace fly::sema
