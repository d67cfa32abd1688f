// What gfx12 computes where the texts of the dot products say `tmp += a * b`: terms cut off to a common grid, one
// rounding. runtime/emulator/formats/AlignedDot.h tells the rule and who measured it; this computes it in doubles,
// which hold every term.
#include "tests/emulator/pseudocode/Float.h"

#include <algorithm>
#include <cmath>

namespace fly::pseudocode {

namespace {

constexpr int none = -5000;

Value element(const Value &word, Type type, unsigned k) { return {type, word.v >> type.bits * k}; }
/// Of a factor; that of the least normal number for a denormal.
int exponentOf(double v, const Format &f) { return std::max(std::ilogb(v), 1 - f.bias); }
double cutOff(double v, int grid) { return std::floor(std::ldexp(v, -grid)); }
/// The f32 NaN in the format of the result.
Value specialNan(uint32_t bits, Type to) {
  if (to.bits == 32) return {to, bits};
  if (to.kind == Type::BFloat) return {to, bits == 0xffc00a3d ? 0xfffdu : bits >> 16};
  return {to, bits == 0xffc00a3d ? 0xfe3du : (bits >> 16 & 0x8000) | 0x7c00 | (bits >> 13 & 0x3ff)};
}

} // namespace

Value alignedDot(const Value &a, Type typeA, const Value &b, Type typeB, const Value &addend, Type to,
                 const FloatMode &mode) {
  const unsigned count = 32 / typeA.bits, group = typeA.bits == 8 ? 4 : 2;
  const uint32_t factorNan = 0xffc00a3d, invalidNan = typeA.bits == 8 ? factorNan : 0xffc00000;
  const Format fa = formatOf(typeA, mode), fb = formatOf(typeB, mode);
  FloatMode nearest;
  bool nan = false;
  double infinite = 0, products[4];
  int exponents[4], largestExponent = none;
  for (unsigned k = 0; k < count; ++k) {
    Value x = element(a, typeA, k), y = element(b, typeB, k);
    nan |= isNan(x, nearest) || isNan(y, nearest);
    double p = products[k] = toDouble(x, nearest) * toDouble(y, nearest);
    if (!std::isfinite(p)) infinite += p; // NaN of inf * 0 and inf - inf
    exponents[k] = p == 0 || !std::isfinite(p)
                       ? none
                       : exponentOf(toDouble(x, nearest), fa) + exponentOf(toDouble(y, nearest), fb);
    largestExponent = std::max(largestExponent, exponents[k]);
  }
  if (nan) return specialNan(factorNan, to);
  if (std::isnan(infinite)) return specialNan(invalidNan, to);
  const Value wide = convertFloat(addend, {Type::Float, 32}, nearest, true);
  if (isNan(addend, nearest)) return specialNan(static_cast<uint32_t>(quieted(wide, nearest).v), to);
  const double c = toDouble(addend, nearest);
  if (std::isinf(c)) infinite += c;
  if (std::isnan(infinite)) return specialNan(invalidNan, to);
  if (infinite != 0) return infinity(to, infinite < 0, nearest);

  const int least = to.bits == 16 && to.kind == Type::Float ? -14 : -126;
  const int grid = std::max(largestExponent - 24, std::max(c == 0 ? none : std::ilogb(c), least) - 26);
  double sum = cutOff(c, grid);
  if (grid > least && std::fabs(std::ldexp(c, -grid)) < 1) sum = 0;
  for (unsigned first = 0; first < count; first += group) {
    const int top = *std::max_element(exponents + first, exponents + first + group);
    if (top == none) continue;
    double together = 0;
    for (unsigned k = first; k < first + group; ++k) together += cutOff(products[k], top - 24);
    sum += cutOff(std::ldexp(together, top - 24), grid);
  }
  Value total = fromInteger(static_cast<SignedWide>(sum), {Type::Float, 64}, nearest);
  Value r = scaleTo(total, grid, to.kind == Type::BFloat ? Type{Type::Float, 32} : to, nearest);
  if (isZero(r, nearest)) r.v = 0;
  return to.kind == Type::BFloat ? Value(to, r.v >> 16) : r;
}

} // namespace fly::pseudocode
