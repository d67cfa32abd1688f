// `fly.approximate` in the reference interpreter: the result that is nearest to the exact one.
//
// The documents promise 1 ulp, and the emulator gives the nearest result unless it is asked otherwise, so results can be
// compared with the emulator's. Left open: numbers whose double result is too near to a tie to be rounded again,
// denormals, and f64, where 2^29 ulp are promised.
#include "compiler/reference/Floats.h"
#include "compiler/reference/Machine.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using llvm::APFloat;

namespace fly::reference {

static double doubleOf(const APFloat &value) {
  APFloat wide = value;
  bool losesInfo = false;
  wide.convert(APFloat::IEEEdouble(), llvm::RoundingMode::NearestTiesToEven, &losesInfo);
  return wide.convertToDouble();
}

static Cell roundedTo(const FloatFormat &format, double value) {
  auto convert = [&](double number) {
    APFloat narrow(number);
    bool losesInfo = false;
    narrow.convert(format.semantics, llvm::RoundingMode::NearestTiesToEven, &losesInfo);
    return narrow;
  };
  const APFloat result = convert(value);
  if (!std::isfinite(value) || value == 0)
    return format.cell(result);
  // The double itself is off by a few of its last bits.
  const double slack = std::fabs(value) * 0x1p-48;
  if (!convert(value - slack).bitwiseIsEqual(result) || !convert(value + slack).bitwiseIsEqual(result))
    return Cell::unknown();
  return result.isDenormal() ? Cell::unknown() : format.cell(result);
}

/// The sine of a number of turns, which are reduced first.
static double sineOfTurns(double turns, double ahead) {
  const double part = turns - std::floor(turns);
  return std::sin(2 * std::numbers::pi * (part + ahead));
}

static Cell approximated(ir::Approximation function, const FloatFormat &format, const APFloat &x) {
  using A = ir::Approximation;
  const double value = doubleOf(x);
  switch (function) {
  case A::Exp2: return roundedTo(format, std::exp2(value));
  case A::Log2: return value < 0 ? format.nan() : roundedTo(format, std::log2(value));
  case A::Rcp: return roundedTo(format, 1 / value);
  case A::Rsq: return value < 0 ? format.nan() : roundedTo(format, 1 / std::sqrt(value));
  case A::Sqrt: return format.cell(squareRoot(x));
  case A::SinOfTurns: return std::isfinite(value) ? roundedTo(format, sineOfTurns(value, 0)) : format.nan();
  case A::CosOfTurns: return std::isfinite(value) ? roundedTo(format, sineOfTurns(value, 0.25)) : format.nan();
  default: return Cell::unknown();
  }
}

bool runApproximation(Wave &wave, Operation *op) {
  auto approximate = dyn_cast<ir::ApproximateOp>(op);
  if (!approximate)
    return false;
  const FloatFormat format(cast<FloatType>(getElementTypeOrSelf(approximate.getValue().getType())).getFloatSemantics());
  const bool isOpen = format.width == 64 || cellsOf(op->getResult(0).getType()) == 0;
  const unsigned count = wave.lanes(op->getResult(0)).count;
  wave.forLanes([&](unsigned lane) {
    for (unsigned i = 0; i < count; ++i) {
      const Cell in = wave.of(approximate.getValue(), lane)[i];
      Cell &out = wave.result(op, lane)[i];
      if (in.isPoison())
        out = Cell::poison();
      else if (isOpen || !format.isUsable(in) || format.value(in).isDenormal())
        out = Cell::unknown();
      else if (format.value(in).isNaN())
        out = isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())) ? format.nan() : Cell::unknown();
      else
        out = approximated(approximate.getFunction(), format, format.value(in));
    }
  });
  return true;
}

} // namespace fly::reference
