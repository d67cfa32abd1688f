// Arithmetic on compile-time values.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// An integer, float or bool as the nearest float; an error for an integer beyond the range of floats.
double toDouble(Elaborator &e, const Value &value, SourceRange range);
/// The same rounded to odd: rounding it once more, to a narrower float, is as if from the integer.
double toDoubleOdd(Elaborator &e, const Value &value, SourceRange range);
Value constantBinary(Elaborator &e, ast::BinaryOp op, const Value &lhs, const Value &rhs, SourceRange range,
                     SourceRange rhsRange);

} // namespace fly::sema
