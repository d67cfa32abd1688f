// Integers of the reference interpreter.
#include "compiler/reference/Numbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using llvm::APInt;

namespace fly::reference {

namespace {

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
    (void)f(isOver, true);
    if (isOver)
      return true;
  }
  if (bitEnumContainsAny(flags, arith::IntegerOverflowFlags::nuw))
    (void)f(isOver, false);
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

} // namespace

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

} // namespace fly::reference
