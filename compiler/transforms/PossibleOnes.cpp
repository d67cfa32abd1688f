// See PossibleOnes.h. Bits are computed as in LLVM's KnownBits; the ranges of ids come from their ops.
#include "compiler/transforms/PossibleOnes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/KnownBits.h"

using namespace mlir;
using llvm::KnownBits;

namespace fly::ir {
namespace {

/// Ops that are looked through, one above the other.
constexpr unsigned deepest = 12;

KnownBits upTo(unsigned bits, const APInt &most) {
  KnownBits known(bits);
  known.Zero.setHighBits(most.countl_zero());
  return known;
}

/// A loop's variable, of bounds that are known: below the upper one, and in the step's places where it starts there.
KnownBits ofArgument(BlockArgument argument, unsigned bits) {
  KnownBits known(bits);
  auto loop = dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
  APInt lower, upper, step;
  if (!loop || loop.getInductionVar() != argument || !matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) || !lower.isNonNegative() ||
      !upper.isStrictlyPositive())
    return known;
  known = upTo(bits, upper - 1);
  if (matchPattern(loop.getStep(), m_ConstantInt(&step)))
    known.Zero.setLowBits(std::min(lower.isZero() ? bits : lower.countr_zero(), step.countr_zero()));
  return known;
}

KnownBits knownBits(Value value, unsigned depth);

KnownBits ofOp(Operation *op, Value result, unsigned bits, unsigned depth) {
  auto known = [&](unsigned operand) { return knownBits(op->getOperand(operand), depth + 1); };
  return llvm::TypeSwitch<Operation *, KnownBits>(op)
      .Case([&](arith::AddIOp add) {
        auto flags = add.getOverflowFlags();
        return KnownBits::add(known(0), known(1), bitEnumContainsAll(flags, arith::IntegerOverflowFlags::nsw),
                              bitEnumContainsAll(flags, arith::IntegerOverflowFlags::nuw));
      })
      .Case([&](arith::SubIOp) { return KnownBits::sub(known(0), known(1)); })
      .Case([&](arith::MulIOp) { return KnownBits::mul(known(0), known(1)); })
      .Case([&](arith::ShLIOp) { return KnownBits::shl(known(0), known(1)); })
      .Case([&](arith::ShRUIOp) { return KnownBits::lshr(known(0), known(1)); })
      .Case([&](arith::ShRSIOp) { return KnownBits::ashr(known(0), known(1)); })
      .Case([&](arith::AndIOp) { return known(0) & known(1); })
      .Case([&](arith::OrIOp) { return known(0) | known(1); })
      .Case([&](arith::XOrIOp) { return known(0) ^ known(1); })
      .Case([&](arith::DivUIOp) { return KnownBits::udiv(known(0), known(1)); })
      .Case([&](arith::RemUIOp) { return KnownBits::urem(known(0), known(1)); })
      .Case([&](arith::DivSIOp) { return KnownBits::sdiv(known(0), known(1)); })
      .Case([&](arith::RemSIOp) { return KnownBits::srem(known(0), known(1)); })
      .Case([&](arith::MinUIOp) { return KnownBits::umin(known(0), known(1)); })
      .Case([&](arith::MinSIOp) { return KnownBits::smin(known(0), known(1)); })
      .Case([&](arith::ExtUIOp) { return known(0).zext(bits); })
      .Case([&](arith::ExtSIOp) { return known(0).sext(bits); })
      .Case([&](arith::TruncIOp) { return known(0).trunc(bits); })
      .Case([&](arith::SelectOp) { return known(1).intersectWith(known(2)); })
      .Case([&](InferIntRangeInterface ranged) {
        KnownBits found(bits);
        if (op->getNumOperands() == 0)
          ranged.inferResultRanges({}, [&](Value of, const ConstantIntRanges &range) {
            if (of == result && range.umax().getBitWidth() == bits)
              found = upTo(bits, range.umax());
          });
        return found;
      })
      .Default([&](Operation *) { return KnownBits(bits); });
}

KnownBits knownBits(Value value, unsigned depth) {
  const unsigned bits = value.getType().isIndex() ? 64 : value.getType().getIntOrFloatBitWidth();
  if (APInt number; matchPattern(value, m_ConstantInt(&number)))
    return KnownBits::makeConstant(number);
  if (depth > deepest)
    return KnownBits(bits);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ofArgument(argument, bits);
  return ofOp(value.getDefiningOp(), value, bits, depth);
}

} // namespace

std::uint64_t possibleOnes(Value value) {
  KnownBits known = knownBits(value, 0);
  known.makeNonNegative();
  return known.getMaxValue().getZExtValue();
}

} // namespace fly::ir
