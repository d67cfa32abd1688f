// Arithmetic of floats in the reference interpreter, and tests of them.
#include "compiler/reference/Floats.h"
#include "compiler/reference/Numbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using llvm::APFloat;
using llvm::RoundingMode;

namespace fly::reference {

namespace {

using Flags = arith::FastMathFlags;

/// Arithmetic in one format under the flags of an operation.
struct FloatArithmetic {
  FloatArithmetic(Wave &wave, Operation *op)
      : wave(wave), op(op),
        format(cast<FloatType>(getElementTypeOrSelf(op->getOperand(0).getType())).getFloatSemantics()) {
    if (auto math = dyn_cast<arith::ArithFastMathInterface>(op))
      if (auto attribute = math.getFastMathFlagsAttr())
        flags = attribute.getValue();
    flushes = wave.kernel.op->hasAttr(ir::KernelOp::flushDenormalsAttr) && format.width == 32;
  }
  bool has(Flags flag) const { return bitEnumContainsAny(flags, flag); }

  /// A result, rounded or exact. `approximates`: flags under which another one may come.
  Cell finish(const APFloat &value, bool isExact, Flags approximates) const {
    if (value.isNaN())
      return has(Flags::nnan) ? Cell::poison() : format.nan();
    if (value.isInfinity() && has(Flags::ninf))
      return Cell::poison();
    if (!isExact && (has(approximates) || has(Flags::reassoc)))
      return Cell::unknown();
    Cell cell = format.cell(value);
    if (flushes && value.isDenormal())
      return Cell::unknown();
    if (value.isZero() && has(Flags::nsz))
      cell.known &= ~(uint64_t(1) << (format.width - 1));
    return cell;
  }

  template <typename Compute> bool each(unsigned operands, Flags approximates, Compute compute) {
    return eachNumber(wave, op, [&](const Cell *in) {
      llvm::SmallVector<APFloat, 3> values;
      for (unsigned i = 0; i < operands; ++i) {
        if (!format.isUsable(in[i]))
          return Cell::unknown();
        values.push_back(format.value(in[i]));
        if (values.back().isNaN() && has(Flags::nnan))
          return Cell::poison();
        if (values.back().isInfinity() && has(Flags::ninf))
          return Cell::poison();
        if (flushes && values.back().isDenormal())
          return Cell::unknown();
      }
      APFloat value = values[0];
      const APFloat::opStatus status = compute(value, values);
      Cell cell = finish(value, !(status & APFloat::opInexact), approximates);
      const bool mayFuse = has(Flags::contract);
      if (mayFuse && isa<arith::MulFOp>(op) && (status & APFloat::opInexact))
        cell.flags |= Cell::RoundedProduct;
      if (mayFuse && isa<arith::AddFOp, arith::SubFOp>(op))
        for (unsigned i = 0; i < operands; ++i)
          if (in[i].flags & Cell::RoundedProduct)
            return Cell::unknown(); // the product may be rounded with the sum
      return cell;
    });
  }

  Wave &wave;
  Operation *op;
  FloatFormat format;
  Flags flags = Flags::none;
  bool flushes = false;
};

bool compare(arith::CmpFPredicate predicate, APFloat::cmpResult result) {
  using P = arith::CmpFPredicate;
  const bool less = result == APFloat::cmpLessThan, more = result == APFloat::cmpGreaterThan,
             equal = result == APFloat::cmpEqual, unordered = result == APFloat::cmpUnordered;
  switch (predicate) {
  case P::AlwaysFalse: return false;
  case P::OEQ: return equal;
  case P::OGT: return more;
  case P::OGE: return more || equal;
  case P::OLT: return less;
  case P::OLE: return less || equal;
  case P::ONE: return less || more;
  case P::ORD: return !unordered;
  case P::UEQ: return unordered || equal;
  case P::UGT: return unordered || more;
  case P::UGE: return unordered || more || equal;
  case P::ULT: return unordered || less;
  case P::ULE: return unordered || less || equal;
  case P::UNE: return !equal;
  case P::UNO: return unordered;
  case P::AlwaysTrue: return true;
  }
  llvm_unreachable("a predicate");
}

/// Minima and maxima. Where `numberWins`, that is IEEE 754-2019's minimumNumber, in which MLIR leaves the order of
/// zeros open; else a NaN wins and -0 is below +0.
Cell extreme(const FloatArithmetic &f, const APFloat &a, const APFloat &b, bool isMax, bool numberWins) {
  if (a.isNaN() || b.isNaN()) {
    if (!numberWins || (a.isNaN() && b.isNaN()))
      return f.finish(APFloat::getQNaN(a.getSemantics()), true, Flags::none);
    return f.finish(a.isNaN() ? b : a, true, Flags::none);
  }
  Cell cell = f.finish(isMax ? llvm::maximum(a, b) : llvm::minimum(a, b), true, Flags::none);
  if (numberWins && a.isZero() && b.isZero() && a.isNegative() != b.isNegative())
    cell.known &= ~(uint64_t(1) << (f.format.width - 1));
  return cell;
}

/// Copies bits, and knows them as well as its operand.
template <typename Change> bool onBits(Wave &wave, Operation *op, Change change) {
  const unsigned width = widthOf(op->getOperand(0).getType());
  const uint64_t sign = uint64_t(1) << (width - 1);
  return eachNumber(wave, op, [&](const Cell *in) { return change(in, sign); });
}

bool runFloatArithmetic(Wave &wave, Operation *op) {
  using Values = llvm::SmallVector<APFloat, 3>;
  auto with = [&](unsigned operands, Flags approximates, auto compute) {
    return FloatArithmetic(wave, op).each(operands, approximates, compute);
  };
  auto extremeOf = [&](bool isMax, bool numberWins) {
    FloatArithmetic f(wave, op);
    return eachNumber(wave, op, [&](const Cell *in) {
      if (!f.format.isUsable(in[0]) || !f.format.isUsable(in[1]))
        return Cell::unknown();
      return extreme(f, f.format.value(in[0]), f.format.value(in[1]), isMax, numberWins);
    });
  };
  auto rounded = [&](RoundingMode mode) {
    return with(1, Flags::none, [&](APFloat &value, const Values &) {
      value.roundToIntegral(mode);
      return APFloat::opOK;
    });
  };
  auto open = [&] { return eachNumber(wave, op, [](const Cell *) { return Cell::unknown(); }); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::AddFOp) {
        return with(2, Flags::none, [](APFloat &value, const Values &in) { return value.add(in[1], nearest); });
      })
      .Case([&](arith::SubFOp) {
        return with(2, Flags::none, [](APFloat &value, const Values &in) { return value.subtract(in[1], nearest); });
      })
      .Case([&](arith::MulFOp) {
        return with(2, Flags::none, [](APFloat &value, const Values &in) { return value.multiply(in[1], nearest); });
      })
      .Case([&](arith::DivFOp) {
        return with(2, Flags::arcp | Flags::afn,
                    [](APFloat &value, const Values &in) { return value.divide(in[1], nearest); });
      })
      .Case([&](arith::RemFOp) {
        return with(2, Flags::afn, [](APFloat &value, const Values &in) { return value.mod(in[1]); });
      })
      .Case([&](math::FmaOp) {
        return with(3, Flags::none,
                    [](APFloat &value, const Values &in) { return value.fusedMultiplyAdd(in[1], in[2], nearest); });
      })
      .Case([&](math::SqrtOp) {
        return with(1, Flags::afn, [](APFloat &value, const Values &in) {
          value = squareRoot(in[0]);
          APFloat square = value;
          const bool isExact = !value.isFinite() || (square.multiply(value, nearest) == APFloat::opOK &&
                                                     square.compare(in[0]) == APFloat::cmpEqual);
          return isExact ? APFloat::opOK : APFloat::opInexact;
        });
      })
      .Case([&](math::FloorOp) { return rounded(RoundingMode::TowardNegative); })
      .Case([&](math::CeilOp) { return rounded(RoundingMode::TowardPositive); })
      .Case([&](math::TruncOp) { return rounded(RoundingMode::TowardZero); })
      .Case([&](math::RoundEvenOp) { return rounded(RoundingMode::NearestTiesToEven); })
      .Case([&](arith::MinNumFOp) { return extremeOf(false, true); })
      .Case([&](arith::MaxNumFOp) { return extremeOf(true, true); })
      .Case([&](arith::MinimumFOp) { return extremeOf(false, false); })
      .Case([&](arith::MaximumFOp) { return extremeOf(true, false); })
      .Case<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::Log10Op, math::SinOp, math::CosOp, math::TanhOp,
            math::RsqrtOp, math::PowFOp>([&](auto) { return open(); })
      .Case([&](arith::NegFOp) {
        return onBits(wave, op,
                      [](const Cell *in, uint64_t sign) { return Cell{in[0].bits ^ sign, in[0].known, in[0].flags}; });
      })
      .Case([&](math::AbsFOp) {
        return onBits(wave, op, [](const Cell *in, uint64_t sign) {
          return Cell{in[0].bits & ~sign, in[0].known | sign, in[0].flags};
        });
      })
      .Case([&](math::CopySignOp) {
        return onBits(wave, op, [](const Cell *in, uint64_t sign) {
          return Cell{(in[0].bits & ~sign) | (in[1].bits & sign), (in[0].known & ~sign) | (in[1].known & sign), 0};
        });
      })
      .Default(false);
}

bool runFloatTests(Wave &wave, Operation *op) {
  if (!isa<arith::CmpFOp, math::IsNaNOp, math::IsFiniteOp, math::IsInfOp>(op))
    return false;
  FloatArithmetic f(wave, op);
  return eachNumber(wave, op, [&](const Cell *in) {
    auto cmp = dyn_cast<arith::CmpFOp>(op);
    if (!f.format.isUsable(in[0]) || (cmp && !f.format.isUsable(in[1])))
      return Cell::unknown();
    const APFloat a = f.format.value(in[0]);
    if (isa<math::IsNaNOp>(op))
      return Cell::of(a.isNaN(), 1);
    if (isa<math::IsInfOp>(op))
      return Cell::of(a.isInfinity(), 1);
    if (!cmp)
      return Cell::of(a.isFinite(), 1);
    const APFloat b = f.format.value(in[1]);
    if (f.has(Flags::nnan) && (a.isNaN() || b.isNaN()))
      return Cell::poison();
    if (f.flushes && (a.isDenormal() || b.isDenormal()))
      return Cell::unknown();
    return Cell::of(compare(cmp.getPredicate(), a.compare(b)), 1);
  });
}

} // namespace

bool runFloat(Wave &wave, Operation *op) { return runFloatArithmetic(wave, op) || runFloatTests(wave, op); }

} // namespace fly::reference
