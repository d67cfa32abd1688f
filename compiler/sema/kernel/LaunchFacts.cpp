// See LaunchFacts.h.
#include "compiler/sema/kernel/LaunchFacts.h"

#include <bit>
#include <numeric>

namespace fly::sema {

static constexpr int64_t largestDivisor = int64_t(1) << 20;

void collectFacts(const host::Expr &expr, Facts &facts) {
  using host::ExprOp;
  if (expr.op == ExprOp::And)
    for (auto &operand : expr.operands)
      collectFacts(*operand, facts);
  if (expr.op != ExprOp::Eq)
    return;
  auto &mod = *expr.operands[0], &zero = *expr.operands[1];
  if (mod.op != ExprOp::Mod || zero.op != ExprOp::IntConstant || zero.intValue != 0)
    return;
  auto &what = *mod.operands[0], &by = *mod.operands[1];
  if (what.op != ExprOp::Parameter ||
      (by.op == ExprOp::IntConstant && (by.intValue < 1 || by.intValue > largestDivisor)))
    return;
  const int64_t divisor = divisorOf(by, facts); // `k % (32 * splits) == 0`: k is a multiple of 32, whatever splits is
  int64_t &known = facts.try_emplace(what.parameter, 1).first->second;
  int64_t both = known / std::gcd(known, divisor) * divisor;
  known = both <= largestDivisor ? both : std::max(known, divisor);
}

int64_t divisorOf(const host::Expr &expr, const Facts &facts) {
  using host::ExprOp;
  auto of = [&](size_t i) { return divisorOf(*expr.operands[i], facts); };
  constexpr int64_t limit = largestDivisor;
  switch (expr.op) {
  case ExprOp::IntConstant: // of 0 and large ones, the power of two in them
    if (expr.intValue != 0 && expr.intValue >= -limit && expr.intValue <= limit)
      return std::abs(expr.intValue);
    return std::min(limit, int64_t(1) << std::min(20, std::countr_zero(uint64_t(expr.intValue))));
  case ExprOp::Parameter: {
    auto found = facts.find(expr.parameter);
    return found == facts.end() ? 1 : found->second;
  }
  case ExprOp::Mul: {
    int64_t x = of(0), y = of(1);
    return x > limit / y ? std::max(x, y) : x * y;
  }
  case ExprOp::Add:
  case ExprOp::Sub:
  case ExprOp::Min:
  case ExprOp::Max: return std::gcd(of(0), of(1));
  case ExprOp::FloorDiv:
    if (auto &by = *expr.operands[1]; by.op == ExprOp::IntConstant && by.intValue > 0 && of(0) % by.intValue == 0)
      return of(0) / by.intValue;
    return 1;
  default: return 1;
  }
}

} // namespace fly::sema
