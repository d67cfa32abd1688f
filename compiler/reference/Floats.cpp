// Floats of the reference interpreter, see Floats.h.
#include "compiler/reference/Floats.h"

#include "llvm/ADT/StringSwitch.h"

using llvm::APFloat;
using llvm::APInt;

namespace fly::reference {

Cell FloatFormat::nan() const {
  const uint64_t bits = APFloat::getQNaN(semantics).bitcastToAPInt().getZExtValue();
  // The exponent and the quiet bit. Where the only NaN is the pattern of -0, every bit belongs to it.
  const bool isOne = llvm::isPowerOf2_64(bits);
  return {bits, isOne ? onesOf(width) : bits, 0};
}

Cell FloatFormat::cell(const APFloat &value) const {
  return value.isNaN() ? nan() : Cell::of(value.bitcastToAPInt().getZExtValue(), width);
}

bool FloatFormat::isUsable(const Cell &cell) const {
  if (cell.isPoison())
    return false;
  if (cell.isKnown(width))
    return true;
  const uint64_t needed = nan().known;
  return (cell.known & needed) == needed && value(cell).isNaN();
}

const llvm::fltSemantics *formatByName(llvm::StringRef name) {
  return llvm::StringSwitch<const llvm::fltSemantics *>(name)
      .Case("f64", &APFloat::IEEEdouble())
      .Case("f32", &APFloat::IEEEsingle())
      .Case("f16", &APFloat::IEEEhalf())
      .Case("bf16", &APFloat::BFloat())
      .Case("f8E4M3FN", &APFloat::Float8E4M3FN())
      .Case("f8E4M3FNUZ", &APFloat::Float8E4M3FNUZ())
      .Case("f8E5M2", &APFloat::Float8E5M2())
      .Case("f8E5M2FNUZ", &APFloat::Float8E5M2FNUZ())
      .Case("f6E2M3", &APFloat::Float6E2M3FN())
      .Case("f6E3M2", &APFloat::Float6E3M2FN())
      .Case("f4E2M1", &APFloat::Float4E2M1FN())
      .Default(nullptr);
}

APFloat squareRoot(const APFloat &value) {
  if (value.isNaN() || value.isZero() || (value.isInfinity() && !value.isNegative()))
    return value;
  if (value.isNegative())
    return APFloat::getQNaN(value.getSemantics());
  // value = mantissa * 2^exponent with an even exponent and a mantissa with more than twice the bits of the result; the
  // root of the mantissa is rounded down, and a last bit says whether something is left.
  const unsigned precision = APFloat::semanticsPrecision(value.getSemantics()), bits = 2 * precision + 8;
  int exponent = llvm::ilogb(value) - int(bits);
  exponent -= exponent & 1;
  const unsigned wide = bits + 16;
  llvm::APSInt mantissa(wide, /*isUnsigned=*/true);
  APFloat scaled = value; // f128 holds every f64, times any power that occurs here
  bool losesInfo = false, isInteger = false;
  scaled.convert(APFloat::IEEEquad(), llvm::RoundingMode::NearestTiesToEven, &losesInfo);
  scaled = llvm::scalbn(scaled, -exponent, llvm::RoundingMode::NearestTiesToEven);
  scaled.convertToInteger(mantissa, llvm::RoundingMode::TowardZero, &isInteger);
  APInt root = mantissa.sqrt(); // to the nearest
  if ((root * root).ugt(mantissa))
    --root;
  APInt sticky = root.shl(1);
  if (root * root != mantissa)
    sticky |= 1;
  APFloat result(APFloat::IEEEquad());
  result.convertFromAPInt(sticky, /*IsSigned=*/false, llvm::RoundingMode::NearestTiesToEven);
  result = llvm::scalbn(result, exponent / 2 - 1, llvm::RoundingMode::NearestTiesToEven);
  result.convert(value.getSemantics(), llvm::RoundingMode::NearestTiesToEven, &losesInfo);
  return result;
}

} // namespace fly::reference
