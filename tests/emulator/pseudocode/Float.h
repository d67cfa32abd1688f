// Floating point of the pseudocode: correctly rounded by MPFR, in every format, rounding and denormal mode.
//
// Nothing here is shared with what it checks. An operation decodes its operands to exact MPFR numbers, computes once
// with the result's precision and exponent range (mpfr_subnormalize below the normal numbers), and encodes. A NaN that
// arithmetic makes has open sign and payload: the text does not tell them.
#pragma once

#include "tests/emulator/pseudocode/Value.h"

namespace fly::pseudocode {

struct FloatMode {
  /// 0 nearest even, 1 up, 2 down, 3 towards zero.
  uint8_t round32 = 0, round16_64 = 0;
  bool keepIn32 = true, keepOut32 = true, keepIn16_64 = true, keepOut16_64 = true;
  int override = -1;        ///< ROUND_MODE as the text has set it
  bool alignedDots = false; ///< gfx12: dot products round once
  bool fnuz = false;        ///< fp8 and bf8 as on gfx942: no infinities, one NaN 0x80
  unsigned round(Type t) const {
    return override >= 0 ? static_cast<unsigned>(override) : t.bits == 32 ? round32 : round16_64;
  }
  bool keepIn(Type t) const { return t.bits == 32 || t.kind == Type::BFloat ? keepIn32 : t.bits < 16 || keepIn16_64; }
  bool keepOut(Type t) const {
    return t.bits == 32 || t.kind == Type::BFloat ? keepOut32 : t.bits < 16 || keepOut16_64;
  }
};

/// 1 sign, `exponent` and `mantissa` bits.
struct Format {
  unsigned exponent, mantissa;
  int bias;
  bool infinities;
};
Format formatOf(Type type, const FloatMode &mode);

bool isNan(const Value &v, const FloatMode &mode);
bool isSignalling(const Value &v, const FloatMode &mode);
bool isInfinite(const Value &v, const FloatMode &mode);
bool isZero(const Value &v, const FloatMode &mode);
bool isDenormal(const Value &v, const FloatMode &mode);
inline bool signOf(const Value &v) { return v.v >> (v.type.bits - 1) & 1; }
unsigned biasedExponent(const Value &v, const FloatMode &mode);
Value flushed(const Value &v, const FloatMode &mode); ///< a denormal as zero of its sign
/// Quiet, sign and payload open. Of the formats below 16 bits those of gfx942 (`mode.fnuz`) have a single NaN, OCP's
/// fp8 one of either sign, those below 8 none.
Value someNan(Type type, const FloatMode &mode = {});
Value quieted(const Value &v, const FloatMode &mode);
Value infinity(Type type, bool negative, const FloatMode &mode);

/// Less -1, equal 0, greater 1, unordered 2.
int compare(const Value &a, const Value &b, const FloatMode &mode);

// clang-format off
enum class FloatOp {
  Add, Subtract, Multiply, Divide, Fma, Sqrt, Exp2, Log2, Sin, Cos, Floor, Trunc, Fract, Ldexp, Mantissa,
  ReciprocalRoot, RoundEven, RoundHalfUp
};
// clang-format on
Value compute(FloatOp op, Type result, const Value &a, const Value &b, const Value &c, const FloatMode &mode);

/// From one float format to another, rounded by MODE; `keepNan` keeps what fits of a NaN's payload, signalling or not.
Value convertFloat(const Value &v, Type to, const FloatMode &mode, bool keepNan);
/// Integer to float, rounded by MODE.
Value fromInteger(SignedWide v, Type to, const FloatMode &mode);
/// Float to integer: rounding 3 towards zero, 0 nearest even; saturates, NaN is 0.
Value toInteger(const Value &v, Type to, unsigned rounding, const FloatMode &mode);
/// v * factor as an integer, rounded to nearest even, saturated to [low, high]; NaN is 0.
Value toNormalized(const Value &v, Type to, int low, int high, const FloatMode &mode);
/// v * 2^power in another format, rounded by MODE.
Value scaleTo(const Value &v, int power, Type to, const FloatMode &mode);
/// The largest finite number of a format without infinity and NaN, which is also its conversions' answer to both.
Value largest(Type to, bool negative);
/// What a conversion makes of the NaN v.
Value nanOf(const Value &v, Type to, const FloatMode &mode);
/// v * 2^power, rounded stochastically: as many of the top bits of `random` as the mantissa loses are added below the
/// last bit kept, at the weight that bit has in the least normal number if the result is denormal, then the rest is cut
/// off (HIP's headers compute this on the host, from_float_sr).
Value stochasticTo(const Value &v, int power, uint32_t random, Type to, const FloatMode &mode);
/// 53 bits of 2/pi from bit `from` after the point, as an integer; 2/pi has 1201 bits here, then zeros.
Value twoOverPiBits(unsigned from);
/// The sum of the products of the elements of two words and the addend as gfx12 computes it; AlignedDot.cpp.
Value alignedDot(const Value &a, Type typeA, const Value &b, Type typeB, const Value &addend, Type to,
                 const FloatMode &mode);
/// (a * b + c) * 2^power, rounded once; operands keep their denormals.
Value fusedScaled(const Value &a, const Value &b, const Value &c, int power, const FloatMode &mode);
/// Distance in units of the last place of `type`, huge when only one of them is finite.
double distance(Wide a, Wide b, Type type);
double toDouble(const Value &v, const FloatMode &mode);

} // namespace fly::pseudocode
