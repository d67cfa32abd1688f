// Conversions between numbers in the reference interpreter.
#include "compiler/reference/Floats.h"
#include "compiler/reference/Numbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using llvm::APFloat;

namespace fly::reference {

bool runConversion(Wave &wave, Operation *op) {
  if (!isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp,
           arith::BitcastOp, arith::IndexCastUIOp>(op))
    return false;
  const Type from = getElementTypeOrSelf(op->getOperand(0).getType()),
             to = getElementTypeOrSelf(op->getResult(0).getType());
  const unsigned width = widthOf(from), result = widthOf(to);
  if (isa<arith::BitcastOp>(op))
    return width == result && eachNumber(wave, op, [&](const Cell *in) { return Cell{in[0].bits, in[0].known, 0}; });
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    const FloatFormat format(cast<FloatType>(to).getFloatSemantics());
    return eachNumber(wave, op, [&](const Cell *in) {
      if (!in[0].isKnown(width))
        return Cell::unknown();
      APFloat value(format.semantics);
      value.convertFromAPInt(in[0].value(width), isa<arith::SIToFPOp>(op), nearest);
      return format.cell(value);
    });
  }
  if (isa<arith::IndexCastUIOp>(op))
    return eachNumber(
        wave, op, [&](const Cell *in) { return Cell{in[0].bits & onesOf(width), in[0].known | ~onesOf(width), 0}; });
  const FloatFormat source(cast<FloatType>(from).getFloatSemantics());
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return eachNumber(wave, op, [&](const Cell *in) {
      if (!source.isUsable(in[0]))
        return Cell::unknown();
      llvm::APSInt value(result, isa<arith::FPToUIOp>(op));
      bool isExact = false;
      const auto status = source.value(in[0]).convertToInteger(value, llvm::RoundingMode::TowardZero, &isExact);
      return status & APFloat::opInvalidOp ? Cell::poison() : Cell::of(value.getZExtValue(), result);
    });
  const FloatFormat target(cast<FloatType>(to).getFloatSemantics());
  if (auto trunc = dyn_cast<arith::TruncFOp>(op); trunc && trunc.getRoundingmodeAttr())
    throw Stop{Outcome::Beyond, "a conversion with a rounding mode"};
  auto math = dyn_cast<arith::ArithFastMathInterface>(op);
  const bool noNan = math && math.getFastMathFlagsAttr() &&
                     bitEnumContainsAny(math.getFastMathFlagsAttr().getValue(), arith::FastMathFlags::nnan);
  return eachNumber(wave, op, [&](const Cell *in) {
    if (!source.isUsable(in[0]))
      return Cell::unknown();
    APFloat value = source.value(in[0]);
    if (value.isNaN())
      return noNan ? Cell::poison() : target.nan();
    if (wave.kernel.op->hasAttr(ir::KernelOp::flushDenormalsAttr) && value.isDenormal())
      return Cell::unknown();
    bool losesInfo = false;
    value.convert(target.semantics, nearest, &losesInfo);
    if (wave.kernel.op->hasAttr(ir::KernelOp::flushDenormalsAttr) && value.isDenormal())
      return Cell::unknown();
    Cell cell = target.cell(value);
    if (isa<arith::ExtFOp>(op))
      cell.flags |= in[0].flags & Cell::RoundedProduct;
    return cell;
  });
}

} // namespace fly::reference
