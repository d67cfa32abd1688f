// Arithmetic of the reference interpreter: the arith and math dialects, number by number.
//
// Integers: a bit of the result is known where the operands determine it. Floats: a result is known if its operands
// are, and the operation's flags leave no choice. Poison is what MLIR's documents say; it spreads, and ends execution
// where it decides something (Wave::needed) or reaches memory.
#include "compiler/reference/Floats.h"
#include "compiler/reference/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;
using llvm::RoundingMode;

namespace fly::reference {

static constexpr auto nearest = RoundingMode::NearestTiesToEven;

namespace {

using Flags = arith::FastMathFlags;

/// For each active lane and number: a result of the operands' numbers.
template <typename Compute> bool eachNumber(Wave &wave, Operation *op, Compute compute) {
  const unsigned count = wave.lanes(op->getResult(0)).count;
  llvm::SmallVector<Lanes *, 3> operands;
  for (Value operand : op->getOperands())
    operands.push_back(&wave.lanes(operand));
  wave.forLanes([&](unsigned lane) {
    for (unsigned i = 0; i < count; ++i) {
      Cell in[3];
      uint8_t poison = 0;
      for (size_t n = 0; n < operands.size() && n < 3; ++n) {
        in[n] = operands[n]->of(lane)[operands[n]->count == 1 ? 0 : i];
        poison |= in[n].flags & Cell::Poison;
      }
      wave.result(op, lane)[i] = poison ? Cell::poison() : compute(in);
    }
  });
  return true;
}

//===-------------------------------------------------- integers ------------------------------------------------===//

/// Bits of a sum or product that the operands determine: those below the first one that is not known.
Cell carried(uint64_t bits, const Cell &a, const Cell &b, unsigned width) {
  const unsigned below = std::min<unsigned>(width, unsigned(llvm::countr_one(a.known & b.known)));
  return {bits & onesOf(width), onesOf(below), 0};
}

template <typename Op> bool overflows(Op op, const Cell *in, unsigned width,
                                      llvm::function_ref<APInt(bool &, bool)> f) {
  if (!in[0].isKnown(width) || !in[1].isKnown(width))
    return false;
  bool isOver = false;
  const auto flags = op.getOverflowFlags();
  if (bitEnumContainsAny(flags, arith::IntegerOverflowFlags::nsw)) {
    f(isOver, true);
    if (isOver)
      return true;
  }
  if (bitEnumContainsAny(flags, arith::IntegerOverflowFlags::nuw))
    f(isOver, false);
  return isOver;
}

/// Of operands that must be known as a whole.
template <typename Compute> Cell whole(const Cell *in, unsigned operands, unsigned width, unsigned result,
                                       Compute compute) {
  for (unsigned i = 0; i < operands; ++i)
    if (!in[i].isKnown(width))
      return Cell::unknown();
  std::optional<APInt> value = compute(in[0].value(width), in[1].value(width));
  return value ? Cell::of(value->getZExtValue(), result) : Cell::poison();
}

bool compare(arith::CmpIPredicate predicate, const APInt &a, const APInt &b) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq: return a == b;
  case P::ne: return a != b;
  case P::slt: return a.slt(b);
  case P::sle: return a.sle(b);
  case P::sgt: return a.sgt(b);
  case P::sge: return a.sge(b);
  case P::ult: return a.ult(b);
  case P::ule: return a.ule(b);
  case P::ugt: return a.ugt(b);
  case P::uge: return a.uge(b);
  }
  llvm_unreachable("a predicate");
}

Cell shifted(const Cell *in, unsigned width, bool isLeft, bool isSigned) {
  if (!in[1].isKnown(width))
    return Cell::unknown();
  const uint64_t by = in[1].bits & onesOf(width);
  if (by >= width)
    return Cell::poison();
  const APInt bits = in[0].value(width), known(width, in[0].known & onesOf(width));
  auto shift = [&](const APInt &value, bool fill) {
    APInt result = isLeft ? value.shl(unsigned(by)) : value.lshr(unsigned(by));
    if (fill && by)
      isLeft ? result.setLowBits(unsigned(by)) : result.setHighBits(unsigned(by));
    return result.getZExtValue();
  };
  const bool signIsKnown = known.isNegative();
  return {shift(bits, isSigned && bits.isNegative()), shift(known, !isSigned || signIsKnown), 0};
}

bool runInteger(Wave &wave, Operation *op) {
  const unsigned width = op->getNumOperands() ? widthOf(op->getOperand(0).getType()) : 0;
  auto each = [&](auto compute) { return eachNumber(wave, op, compute); };
  auto both = [&](auto compute) { return each([&](const Cell *in) { return whole(in, 2, width, width, compute); }); };
  auto one = [&](auto compute) {
    return each([&](const Cell *in) {
      return whole(in, 1, width, width, [&](const APInt &a, const APInt &) { return compute(a); });
    });
  };
  using WithOverflow = APInt (APInt::*)(const APInt &, bool &) const;
  auto wrapping = [&](auto what, auto compute, WithOverflow asSigned, WithOverflow asUnsigned) {
    return each([&](const Cell *in) {
      auto test = [&](bool &over, bool isSigned) {
        return (in[0].value(width).*(isSigned ? asSigned : asUnsigned))(in[1].value(width), over);
      };
      return overflows(what, in, width, test) ? Cell::poison()
                                              : carried(compute(in[0].bits, in[1].bits), in[0], in[1], width);
    });
  };
  auto division = [&](bool isSigned, auto compute) {
    return both([&](const APInt &a, const APInt &b) -> std::optional<APInt> {
      if (b.isZero() || (isSigned && a.isMinSignedValue() && b.isAllOnes()))
        return std::nullopt; // undefined behaviour; the language: an unspecified number
      return compute(a, b);
    });
  };
  using Known = std::optional<APInt>;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::AddIOp add) { return wrapping(add, std::plus<uint64_t>(), &APInt::sadd_ov, &APInt::uadd_ov); })
      .Case([&](arith::SubIOp sub) { return wrapping(sub, std::minus<uint64_t>(), &APInt::ssub_ov, &APInt::usub_ov); })
      .Case([&](arith::MulIOp mul) {
        return wrapping(mul, std::multiplies<uint64_t>(), &APInt::smul_ov, &APInt::umul_ov);
      })
      .Case([&](arith::AndIOp) {
        return each([&](const Cell *in) {
          const uint64_t a = in[0].bits, b = in[1].bits, x = in[0].known, y = in[1].known;
          return Cell{a & b & onesOf(width), ((x & y) | (x & ~a) | (y & ~b)) & onesOf(width), 0};
        });
      })
      .Case([&](arith::OrIOp) {
        return each([&](const Cell *in) {
          const uint64_t a = in[0].bits, b = in[1].bits, x = in[0].known, y = in[1].known;
          return Cell{(a | b) & onesOf(width), ((x & y) | (x & a) | (y & b)) & onesOf(width), 0};
        });
      })
      .Case([&](arith::XOrIOp) {
        return each([&](const Cell *in) {
          return Cell{(in[0].bits ^ in[1].bits) & onesOf(width), in[0].known & in[1].known & onesOf(width), 0};
        });
      })
      .Case([&](arith::ShLIOp shift) {
        return each([&](const Cell *in) {
          const Cell result = shifted(in, width, true, false);
          const bool isOver = !result.isPoison() && overflows(shift, in, width, [&](bool &over, bool isSigned) {
            return isSigned ? in[0].value(width).sshl_ov(in[1].value(width), over)
                            : in[0].value(width).ushl_ov(in[1].value(width), over);
          });
          return isOver ? Cell::poison() : result;
        });
      })
      .Case([&](arith::ShRUIOp) { return each([&](const Cell *in) { return shifted(in, width, false, false); }); })
      .Case([&](arith::ShRSIOp) { return each([&](const Cell *in) { return shifted(in, width, false, true); }); })
      .Case([&](arith::DivUIOp) {
        return division(false, [](const APInt &a, const APInt &b) { return Known(a.udiv(b)); });
      })
      .Case([&](arith::DivSIOp) {
        return division(true, [](const APInt &a, const APInt &b) { return Known(a.sdiv(b)); });
      })
      .Case([&](arith::RemUIOp) {
        return division(false, [](const APInt &a, const APInt &b) { return Known(a.urem(b)); });
      })
      .Case([&](arith::RemSIOp) {
        return division(true, [](const APInt &a, const APInt &b) { return Known(a.srem(b)); });
      })
      .Case([&](arith::FloorDivSIOp) {
        return division(true, [](const APInt &a, const APInt &b) {
          APInt quotient = a.sdiv(b);
          if (!a.srem(b).isZero() && a.isNegative() != b.isNegative())
            --quotient;
          return Known(quotient);
        });
      })
      .Case([&](arith::CeilDivSIOp) {
        return division(true, [](const APInt &a, const APInt &b) {
          APInt quotient = a.sdiv(b);
          if (!a.srem(b).isZero() && a.isNegative() == b.isNegative())
            ++quotient;
          return Known(quotient);
        });
      })
      .Case(
          [&](arith::MinUIOp) { return both([](const APInt &a, const APInt &b) { return Known(a.ult(b) ? a : b); }); })
      .Case(
          [&](arith::MaxUIOp) { return both([](const APInt &a, const APInt &b) { return Known(a.ult(b) ? b : a); }); })
      .Case(
          [&](arith::MinSIOp) { return both([](const APInt &a, const APInt &b) { return Known(a.slt(b) ? a : b); }); })
      .Case(
          [&](arith::MaxSIOp) { return both([](const APInt &a, const APInt &b) { return Known(a.slt(b) ? b : a); }); })
      .Case([&](arith::CmpIOp cmp) {
        return each([&](const Cell *in) {
          const uint64_t common = in[0].known & in[1].known & onesOf(width);
          const auto predicate = cmp.getPredicate();
          const bool isEquality = predicate == arith::CmpIPredicate::eq || predicate == arith::CmpIPredicate::ne;
          if (isEquality && ((in[0].bits ^ in[1].bits) & common))
            return Cell::of(predicate == arith::CmpIPredicate::ne, 1);
          return whole(in, 2, width, 1,
                       [&](const APInt &a, const APInt &b) { return Known(APInt(width, compare(predicate, a, b))); });
        });
      })
      .Case([&](arith::ExtUIOp) {
        return each([&](const Cell *in) {
          return Cell{in[0].bits & onesOf(width), (in[0].known & onesOf(width)) | ~onesOf(width), 0};
        });
      })
      .Case([&](arith::ExtSIOp ext) {
        const unsigned to = widthOf(ext.getType());
        return each([&](const Cell *in) {
          const APInt bits = in[0].value(width).sext(to), known = APInt(width, in[0].known & onesOf(width)).sext(to);
          return Cell{bits.getZExtValue(), known.getZExtValue(), 0};
        });
      })
      .Case([&](arith::TruncIOp trunc) {
        const uint64_t ones = onesOf(widthOf(trunc.getType()));
        return each([&](const Cell *in) { return Cell{in[0].bits & ones, in[0].known & ones, 0}; });
      })
      .Case<arith::MulUIExtendedOp, arith::MulSIExtendedOp>([&](auto) {
        const bool isSigned = isa<arith::MulSIExtendedOp>(op);
        const unsigned count = wave.lanes(op->getResult(0)).count;
        wave.forLanes([&](unsigned lane) {
          for (unsigned i = 0; i < count; ++i) {
            const Cell a = wave.of(op->getOperand(0), lane)[i], b = wave.of(op->getOperand(1), lane)[i];
            Cell &low = wave.result(op, lane, 0)[i], &high = wave.result(op, lane, 1)[i];
            low = high = (a.flags | b.flags) & Cell::Poison ? Cell::poison() : Cell::unknown();
            if (!a.isKnown(width) || !b.isKnown(width))
              continue;
            auto wide = [&](const Cell &cell) {
              return isSigned ? cell.value(width).sext(2 * width) : cell.value(width).zext(2 * width);
            };
            const APInt product = wide(a) * wide(b);
            low = Cell::of(product.trunc(width).getZExtValue(), width);
            high = Cell::of(product.lshr(width).trunc(width).getZExtValue(), width);
          }
        });
        return true;
      })
      .Case([&](math::CtPopOp) { return one([&](const APInt &a) { return Known(APInt(width, a.popcount())); }); })
      .Case([&](math::CountLeadingZerosOp) {
        return one([&](const APInt &a) { return Known(APInt(width, a.countl_zero())); });
      })
      .Case([&](math::CountTrailingZerosOp) {
        return one([&](const APInt &a) { return Known(APInt(width, a.countr_zero())); });
      })
      .Case([&](math::AbsIOp) { return one([&](const APInt &a) { return Known(a.abs()); }); })
      .Default(false);
}

//===--------------------------------------------------- floats -------------------------------------------------===//

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

//===------------------------------------------------- conversions ----------------------------------------------===//

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
      const auto status = source.value(in[0]).convertToInteger(value, RoundingMode::TowardZero, &isExact);
      return status & APFloat::opInvalidOp ? Cell::poison() : Cell::of(value.getZExtValue(), result);
    });
  const FloatFormat target(cast<FloatType>(to).getFloatSemantics());
  auto mode = nearest;
  if (auto trunc = dyn_cast<arith::TruncFOp>(op); trunc && trunc.getRoundingmodeAttr())
    throw Stop{Outcome::Beyond, "a conversion with a rounding mode"};
  FloatArithmetic flags(wave, op);
  return eachNumber(wave, op, [&](const Cell *in) {
    if (!source.isUsable(in[0]))
      return Cell::unknown();
    APFloat value = source.value(in[0]);
    if (value.isNaN())
      return flags.has(Flags::nnan) ? Cell::poison() : target.nan();
    if (wave.kernel.op->hasAttr(ir::KernelOp::flushDenormalsAttr) && value.isDenormal())
      return Cell::unknown();
    bool losesInfo = false;
    value.convert(target.semantics, mode, &losesInfo);
    if (wave.kernel.op->hasAttr(ir::KernelOp::flushDenormalsAttr) && value.isDenormal())
      return Cell::unknown();
    Cell cell = target.cell(value);
    if (isa<arith::ExtFOp>(op))
      cell.flags |= in[0].flags & Cell::RoundedProduct;
    return cell;
  });
}

bool runSelect(Wave &wave, Operation *op) {
  auto select = dyn_cast<arith::SelectOp>(op);
  if (!select)
    return false;
  const unsigned count = wave.lanes(op->getResult(0)).count;
  wave.forLanes([&](unsigned lane) {
    const Lanes &conditions = wave.lanes(select.getCondition());
    for (unsigned i = 0; i < count; ++i) {
      const Cell condition = conditions.of(lane)[conditions.count == 1 ? 0 : i];
      const Cell yes = wave.of(select.getTrueValue(), lane)[i], no = wave.of(select.getFalseValue(), lane)[i];
      Cell &out = wave.result(op, lane)[i];
      if (condition.isPoison())
        out = Cell::poison();
      else if (condition.known & 1)
        out = condition.bits & 1 ? yes : no;
      else
        out = {yes.bits, yes.known & no.known & ~(yes.bits ^ no.bits), uint8_t(yes.flags | no.flags)};
    }
  });
  return true;
}

bool runConstant(Wave &wave, Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (!constant)
    return false;
  const unsigned width = widthOf(op->getResult(0).getType());
  llvm::SmallVector<Cell> cells;
  if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue())) {
    if (isa<FloatType>(dense.getElementType()))
      for (const APFloat &value : dense.getValues<APFloat>())
        cells.push_back(Cell::of(value.bitcastToAPInt().getZExtValue(), width));
    else
      for (const APInt &value : dense.getValues<APInt>())
        cells.push_back(Cell::of(value.getZExtValue(), width));
  } else if (auto real = dyn_cast<FloatAttr>(constant.getValue())) {
    cells.push_back(Cell::of(real.getValue().bitcastToAPInt().getZExtValue(), width));
  } else if (auto integer = dyn_cast<IntegerAttr>(constant.getValue())) {
    cells.push_back(Cell::of(integer.getValue().getZExtValue(), width));
  } else {
    return false;
  }
  wave.forLanes([&](unsigned lane) { std::copy(cells.begin(), cells.end(), wave.result(op, lane)); });
  return true;
}

} // namespace

bool runScalar(Wave &wave, Operation *op) {
  return runInteger(wave, op) || runConstant(wave, op) || runSelect(wave, op) || runFloatArithmetic(wave, op) ||
         runApproximation(wave, op) || runFloatTests(wave, op) || runConversion(wave, op);
}

} // namespace fly::reference
