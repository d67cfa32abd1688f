// See LaneGroups.h. Why the rules hold, for v with granule g, u the same in all lanes (granule 1), floors throughout:
//
//     v + u, v - u, min, max   if g divides u: adding a multiple of g moves no value over a multiple of g
//     u - v - 1                if g divides u: v = q * g + s gives (u / g - q - 1) * g + (g - 1 - s); in turns of a
//                              loop
//     v * 2^k, v << k          granule g * 2^k; modulo 2^32 too, for the granule is a power of two
//     v / c, v >> k            floor(floor(v / c) / h) = floor(v / (c * h)): granule max(1, g / c)
//     v % c                    g if g divides c
//     v & w, v | w, v ^ w      bits above the larger granule depend only on such bits; `& -g` leaves nothing below
//     v < u, v >= u            decided by floor(v / g) if g divides u
//     v <= u, v > u            the same if g divides u + 1
//
// Everything else that has a mixed operand is mixed.
#include "compiler/analysis/LaneGroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

#include <bit>

namespace fly::analysis {

namespace {
namespace arith = mlir::arith;
constexpr uint64_t largest = uint64_t(1) << 31; ///< granule; beyond it values of 32 bits have no part left

Granule times(Granule granule, uint64_t factor) {
  return granule == mixed || granule > largest / factor ? mixed : granule * factor;
}

std::optional<int64_t> constantOf(mlir::Value value) {
  llvm::APInt constant;
  if (!mlir::matchPattern(value, mlir::m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

/// The power of two in a number; of 0 the largest.
uint64_t powerIn(int64_t number) {
  return number == 0 ? largest : std::min(largest, uint64_t(number) & -uint64_t(number));
}

/// A power of two that divides the value in every lane.
uint64_t divisorOf(mlir::Value value, const GranuleFacts &facts, unsigned depth = 0) {
  if (auto constant = constantOf(value))
    return powerIn(*constant);
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value))
    return facts.divisor(argument);
  auto *op = value.getDefiningOp();
  if (depth == 16)
    return 1;
  auto of = [&](unsigned operand) { return divisorOf(op->getOperand(operand), facts, depth + 1); };
  return llvm::TypeSwitch<mlir::Operation *, uint64_t>(op)
      .Case<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return std::min(of(0), of(1)); })
      .Case([&](arith::MulIOp) { return std::min(largest, of(0) * of(1)); })
      .Case([&](arith::AndIOp) { return std::max(of(0), of(1)); })
      .Case([&](arith::ShLIOp shift) -> uint64_t {
        auto by = constantOf(shift.getRhs());
        return by && *by >= 0 && *by < 31 ? std::min(largest, of(0) << *by) : 1;
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>([&](auto) { return of(0); })
      .Case([&](arith::SelectOp) { return std::min(of(1), of(2)); })
      .Default([](mlir::Operation *) { return uint64_t(1); });
}

/// Whether a comparison of the value, on the left, with what all lanes have is the same for all of them.
bool agrees(arith::CmpIPredicate predicate, Granule granule, mlir::Value bound, const GranuleFacts &facts) {
  using P = arith::CmpIPredicate;
  bool isStrict = predicate == P::slt || predicate == P::ult || predicate == P::sge || predicate == P::uge;
  if (isStrict)
    return divisorOf(bound, facts) >= granule;
  if (predicate == P::eq || predicate == P::ne)
    return false;
  auto constant = constantOf(bound);
  return constant && powerIn(*constant + 1) >= granule;
}

arith::CmpIPredicate mirrored(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::slt: return P::sgt;
  case P::sle: return P::sge;
  case P::sgt: return P::slt;
  case P::sge: return P::sle;
  case P::ult: return P::ugt;
  case P::ule: return P::uge;
  case P::ugt: return P::ult;
  case P::uge: return P::ule;
  default: return predicate;
  }
}
} // namespace

Granule granuleOf(ir::ThreadIdOp id, int64_t lanes) {
  auto kernel = id->getParentOfType<ir::KernelOp>();
  auto known = kernel.getKnownBlock();
  auto axis = unsigned(id.getDimension());
  if (!known)
    return axis == 0 ? Granule(lanes) : 1;
  // The index is floor(linear / below) % extent, and linear indices of a group are an aligned run.
  int64_t below = 1, above = 1, extent = (*known)[axis];
  for (unsigned a = 0; a < 3; ++a)
    (a < axis ? below : above) *= a == axis ? 1 : (*known)[a];
  if (extent == 1 || below % lanes == 0)
    return 1;
  if (lanes % below)
    return mixed;
  int64_t run = lanes / below;
  return above == 1 || extent % run == 0 ? Granule(run) : mixed;
}

Granule granuleOfResults(mlir::Operation *op, const GranuleFacts &facts) {
  bool isSame = llvm::all_of(op->getOperands(), [&](mlir::Value operand) { return facts.granule(operand) == 1; });
  if (isSame)
    return 1;
  auto of = [&](unsigned operand) { return facts.granule(op->getOperand(operand)); };
  auto larger = [&] { return std::max(of(0), of(1)); };
  // v beside what all lanes have, which its granule divides.
  auto beside = [&](unsigned v) {
    return of(1 - v) == 1 && divisorOf(op->getOperand(1 - v), facts) >= of(v) ? of(v) : mixed;
  };
  auto mirrorBelow = [&]() -> Granule { // u - v - 1
    auto difference = op->getOperand(0).getDefiningOp<arith::SubIOp>();
    if (!difference || constantOf(op->getOperand(1)) != 1 || facts.granule(difference.getLhs()) != 1)
      return mixed;
    Granule granule = facts.granule(difference.getRhs());
    return granule != mixed && divisorOf(difference.getLhs(), facts) >= granule ? granule : mixed;
  };
  auto quotient = [&](bool isFloor) -> Granule {
    auto by = constantOf(op->getOperand(1));
    if (!by || *by < 1 || of(0) == mixed || !(isFloor || facts.isNonNegative(op->getOperand(0))))
      return mixed;
    return *by % int64_t(of(0)) == 0 ? 1 : of(0) % uint64_t(*by) == 0 ? of(0) / uint64_t(*by) : mixed;
  };
  auto shifted = [&](bool isLeft) -> Granule {
    auto by = constantOf(op->getOperand(1));
    if (!by || *by < 0 || *by > 30 || of(0) == mixed)
      return mixed;
    return isLeft ? times(of(0), uint64_t(1) << *by) : std::max<Granule>(1, of(0) >> *by);
  };
  return llvm::TypeSwitch<mlir::Operation *, Granule>(op)
      .Case([&](arith::AddIOp) { return std::min(beside(0), beside(1)); })
      .Case([&](arith::SubIOp) { return std::min(beside(0), mirrorBelow()); })
      .Case<arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>([&](auto) { return larger(); })
      .Case([&](arith::MulIOp) -> Granule {
        for (unsigned v : {0u, 1u})
          if (auto by = constantOf(op->getOperand(1 - v)); by && *by > 0 && std::has_single_bit(uint64_t(*by)))
            return times(of(v), uint64_t(*by));
        return mixed;
      })
      .Case([&](arith::ShLIOp) { return shifted(true); })
      .Case<arith::ShRUIOp, arith::ShRSIOp>([&](auto) { return shifted(false); })
      .Case<arith::DivUIOp, arith::FloorDivSIOp>([&](auto) { return quotient(true); })
      .Case([&](arith::DivSIOp) { return quotient(false); })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](auto) -> Granule {
        auto by = constantOf(op->getOperand(1));
        bool isFloor = llvm::isa<arith::RemUIOp>(op) || facts.isNonNegative(op->getOperand(0));
        return by && *by > 0 && isFloor && of(0) != mixed && *by % int64_t(of(0)) == 0 ? of(0) : mixed;
      })
      .Case([&](arith::AndIOp) -> Granule {
        for (unsigned v : {0u, 1u})
          if (auto mask = constantOf(op->getOperand(1 - v)); mask && of(v) != mixed && powerIn(*mask) >= of(v))
            return 1;
        return larger();
      })
      .Case<arith::OrIOp, arith::XOrIOp>([&](auto) { return larger(); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>([&](auto) { return of(0); })
      .Case([&](arith::SelectOp) { return of(0) == 1 ? std::max(of(1), of(2)) : mixed; })
      .Case([&](arith::CmpIOp compare) -> Granule {
        for (unsigned v : {0u, 1u})
          if (of(1 - v) == 1 && of(v) != mixed)
            return agrees(v == 0 ? compare.getPredicate() : mirrored(compare.getPredicate()), of(v),
                          op->getOperand(1 - v), facts)
                       ? 1
                       : mixed;
        return mixed;
      })
      .Default([](mlir::Operation *) { return mixed; });
}

} // namespace fly::analysis
