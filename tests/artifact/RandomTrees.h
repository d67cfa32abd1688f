// Random launch expressions over an integer a, an integer b and a float x.
#pragma once

#include "SampleModule.h"

#include <random>

namespace fly::artifact::testing {

inline std::vector<ParameterInfo> treeParameters() {
  return {scalar("a", "i64", 0, 8), scalar("b", "i64", 8, 8), scalar("x", "f64", 16, 8)};
}

inline host::ExprRef randomTree(std::mt19937 &random, int depth) {
  using host::ExprOp;
  if (depth == 0)
    switch (random() % 5) {
    case 0: return host::parameter(0, "a", host::ExprKind::Int);
    case 1: return host::parameter(1, "b", host::ExprKind::Int);
    case 2: return host::intConstant(int64_t(random() % 11) - 5);
    case 3: return host::intConstant(random() % 2 ? INT64_MIN : INT64_MAX);
    default: return host::parameter(2, "x", host::ExprKind::Float);
    }
  for (;;) {
    auto op = ExprOp(int(ExprOp::Neg) + random() % (int(ExprOp::Select) - int(ExprOp::Neg) + 1));
    std::vector<host::ExprRef> operands;
    bool floats = false;
    for (unsigned i = 0; i < host::operandCount(op); ++i) {
      operands.push_back(randomTree(random, depth - 1));
      floats |= operands.back()->kind == host::ExprKind::Float;
    }
    bool integersOnly = op == ExprOp::Invert || op == ExprOp::Shl || op == ExprOp::Shr || op == ExprOp::BitAnd ||
                        op == ExprOp::BitOr || op == ExprOp::BitXor;
    if (!floats || !integersOnly)
      return host::make(op, operands);
  }
}

} // namespace fly::artifact::testing
