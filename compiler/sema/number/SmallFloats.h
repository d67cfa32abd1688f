// Conversions from and to the formats that only store numbers: tf32, the 8-, 6- and 4-bit floats, e8m0.
//
// In registers, an 8-bit number is an i8 and `vec[T, N]` is N of them; a number of 4 or 6 bits alone is the low bits of
// an i8, and a vector of such is packed into bytes, the first number in the lowest bits. tf32 is an f32.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// Whether vectors of the type have several numbers a byte.
inline bool isPacked(Type type) { return type.isVector() && type.format().bits < 8; }

/// Reports arithmetic, comparison or a function on a format that only stores numbers.
void requireArithmetic(Elaborator &e, Type type, llvm::StringRef what, SourceRange range);

/// The numbers of a packed vector, one a byte; and back.
mlir::Value unpackElements(Elaborator &e, MachineValue vector, SourceRange range);
mlir::Value packElements(Elaborator &e, mlir::Value bytes, Type type, SourceRange range);

/// From a stored format to f16, bf16, f32 or f64: exact, but for e8m0 in f16.
MachineValue fromSmall(Elaborator &e, MachineValue from, Type to, SourceRange range);
/// From f16, bf16, f32 or f64, rounded once to nearest even.
MachineValue toSmall(Elaborator &e, MachineValue from, Type to, bool saturate, SourceRange range);
/// f32 from an integer of any width such that a later rounding to at most 16 bits of mantissa is as if from the integer:
/// exact, or rounded to odd.
mlir::Value singleToOdd(Elaborator &e, MachineValue from, SourceRange range);
/// Floats kept between the lowest and the largest number of `bounds`; NaN stays.
MachineValue clampToRange(Elaborator &e, MachineValue value, host::Number bounds, SourceRange range);

} // namespace fly::sema
