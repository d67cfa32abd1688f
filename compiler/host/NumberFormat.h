// The number formats of the language as data: one row a format, and conversions that round once.
//
// All host code that handles typed numbers uses these functions: constant folding in the elaborator, host arrays in
// checks, literals in the C header. The machine code is judged by these conversions, so they are written against the
// format's bits and do not use the host's own float or _Float16 (the tests compare the two).
//
//     encode(Number::F16, 1.0 + 0x1p-11)  ==  0x3c00          // a tie, to even
//     decode(Number::BF16, 0x7f80)        ==  inf
//     wrap(Number::I8, 200)               ==  -56
//     encode(Number::F8E4M3FN, 1000)      ==  0x7e            // 448: formats of 8 bits and fewer saturate
//
// Adding a format is one enumerator and one row.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace fly::host {

/// A mathematical integer: holds each value of i64 and u64, and each product of two of them except
/// u64 times u64 past 2^127 (which the array operations refuse).
using Int = __int128;

// clang-format off
enum class Number : uint8_t {
  Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64,
  TF32, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F6E2M3, F6E3M2, F4E2M1, E8M0, I4, U4,
};
// clang-format on

enum class NumberClass : uint8_t { Bool, Int, Float };

/// How a float format uses its all-ones exponent (and so, the result of overflow).
enum class Specials : uint8_t {
  None,     ///< not a float
  Ieee,     ///< infinities and NaNs
  Fn,       ///< no infinity; NaN is all ones
  Fnuz,     ///< no infinity and no negative zero, whose bits are the NaN
  Finite,   ///< neither infinity nor NaN
  Exponent, ///< 2^(bits - bias) without sign and zero; NaN is all ones
};

struct NumberFormat {
  Number number;
  const char *name; ///< in .fly and in the JSON: "f16"
  NumberClass kind;
  bool isSigned;
  unsigned bits;         ///< of the value; 8 for bool, which is stored as a byte 0 or 1
  unsigned exponentBits; ///< floats only
  unsigned mantissaBits; ///< floats only, without the implicit one
  int bias;              ///< floats only
  Specials specials;
  uint64_t poison;     ///< the bits that mark unwritten memory; see HostArray.h
  unsigned unused = 0; ///< low bits that hold nothing (tf32: an f32 of which 10 bits of the mantissa count)

  unsigned bytes() const { return (bits + 7) / 8; } ///< of one value; arrays of 4 and 6 bits are denser
  /// Storage only: values are stored and converted, but there is no arithmetic.
  bool isStorage() const { return bits < 8 || unused || (isFloat() && bits == 8); }
  bool hasNan() const { return isFloat() && specials != Specials::Finite; }
  bool hasInfinity() const { return specials == Specials::Ieee; }
  /// Values that are too large become the largest number by default.
  bool saturates() const { return isFloat() && bits <= 8; }
  bool isFloat() const { return kind == NumberClass::Float; }
  bool isInteger() const { return kind == NumberClass::Int; }
  bool isBool() const { return kind == NumberClass::Bool; }
};

const NumberFormat &format(Number number);
llvm::ArrayRef<NumberFormat> allFormats();                ///< in the order of the enumerators
std::optional<Number> numberByName(llvm::StringRef name); ///< "f16"; "i1" is bool

// --- Bits and values. Bits are in the low `format.bits` bits, the rest zero. ---

/// The nearest value of the format, ties to even. NaN gives the quiet NaN without a sign or, in a format without NaN,
/// the largest number with the NaN's sign. Values that are too large, including infinity, give the largest number if
/// `saturate`, else infinity, else NaN, else the largest number. In e8m0, negative values give NaN and zero gives the
/// smallest number. Integer formats truncate toward zero and saturate, NaN gives 0 (what the hardware's conversions
/// do); Bool is `value != 0`.
uint64_t encode(Number number, double value, bool saturate);
inline uint64_t encode(Number number, double value) { return encode(number, value, format(number).saturates()); }
/// The exact value. Integers beyond 2^53 lose bits here: use decodeInteger.
double decode(Number number, uint64_t bits);

/// From an integer, rounding once: integer formats wrap, floats round to nearest even, Bool is `value != 0`.
uint64_t encodeInteger(Number number, Int value, bool saturate);
inline uint64_t encodeInteger(Number number, Int value) {
  return encodeInteger(number, value, format(number).saturates());
}
/// The exact value of an integer or Bool format's bits. Floats truncate as in `truncate`.
Int decodeInteger(Number number, uint64_t bits);

/// The value modulo 2^bits in the range of an integer format; Bool: 0 or 1.
Int wrap(Number number, Int value);
/// Toward zero, saturating, NaN to 0, for an integer format.
Int truncate(Number number, double value);
/// decode(encode(value)): the value as the format holds it.
double roundTo(Number number, double value);
bool representable(Number number, Int value);
/// Whether the float format `wide` has all values of the float format `narrow`, infinity included: a conversion to it
/// then finds nothing out of range.
bool holds(Number wide, Number narrow);
/// Nearest double that keeps inexactness visible (round to odd): a later rounding to a narrower float is
/// then as if from the exact integer.
double toDoubleOdd(Int value);

// --- Limits ---

double ulp(Number number);            ///< 2^-mantissaBits of a float format (f32: 2^-23); 0 for integers
double largest(Number number);        ///< largest finite value of a float
double lowest(Number number);         ///< -largest
double smallestNormal(Number number); ///< least positive normal
double smallestDenormal(Number number);
Int largestInteger(Number number); ///< integers and Bool
Int lowestInteger(Number number);

/// The next value of the float format below `value` (which the format holds); -inf stays.
double nextBelow(Number number, double value);
/// (got - expected) in units of the spacing of the format at `expected` (at its least exponent for
/// denormals), absolute value. Equal values, also two NaN, are 0; NaN against a number and an infinity
/// against a finite value are infinity. `expected` need not be representable.
double ulpDistance(Number number, double got, double expected);

/// Shortest decimal text that reads back as the same value of the format: "0.1" for f16(0.1), "inf", "nan".
std::string toText(Number number, double value);
/// As toText for f64, the text of a number without format.
std::string toText(double value);
std::string toText(Int value);

} // namespace fly::host
