// Launch expressions: values, refusals, folding and spelling.
#include "compiler/host/HostExpr.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace fly::host;

static ExprRef n() { return parameter(0, "n", ExprKind::Int); }
static ExprRef k() { return parameter(1, "k", ExprKind::Int); }
static ExprRef x() { return parameter(2, "x", ExprKind::Float); }

static EvalResult run(const ExprRef &e, int64_t nValue, int64_t kValue = 1, double xValue = 0) {
  ScalarValue values[] = {nValue, kValue, xValue};
  return evaluate(*e, values);
}
static int64_t value(const ExprRef &e, int64_t nValue, int64_t kValue = 1) {
  return std::get<int64_t>(run(e, nValue, kValue).value);
}

TEST(HostExpr, DivisionFloorsAndCeils) {
  ExprRef quotient = make(ExprOp::FloorDiv, {n(), k()}), rest = make(ExprOp::Mod, {n(), k()});
  ExprRef up = make(ExprOp::CeilDiv, {n(), k()});
  for (int64_t a = -9; a <= 9; ++a)
    for (int64_t b = -4; b <= 4; ++b) {
      if (b == 0)
        continue;
      EXPECT_EQ(double(value(quotient, a, b)), std::floor(double(a) / double(b))) << a << "//" << b;
      EXPECT_EQ(double(value(up, a, b)), std::ceil(double(a) / double(b))) << a << " " << b;
      EXPECT_EQ(value(rest, a, b), a - value(quotient, a, b) * b);
    }
}

TEST(HostExpr, ErrorsQuoteTheExpression) {
  EXPECT_EQ(run(make(ExprOp::FloorDiv, {n(), k()}), 1, 0).error, "division by zero in `n // k`");
  EXPECT_EQ(run(make(ExprOp::Mod, {n(), k()}), 1, 0).error, "modulo by zero in `n % k`");
  EXPECT_EQ(run(make(ExprOp::Mul, {n(), k()}), INT64_MAX, 2).error, "integer overflow in `n * k`");
  EXPECT_EQ(run(make(ExprOp::FloorDiv, {n(), k()}), INT64_MIN, -1).error, "integer overflow in `n // k`");
  EXPECT_EQ(run(make(ExprOp::Neg, {n()}), INT64_MIN).error, "integer overflow in `-n`");
  EXPECT_EQ(run(make(ExprOp::Shl, {n(), k()}), 1, 63).error, "integer overflow in `n << k`");
  EXPECT_EQ(run(make(ExprOp::Shr, {n(), k()}), 1, -1).error, "shift by a negative number in `n >> k`");
  EXPECT_EQ(evaluate(*n(), {}).error, "parameter `n` has no value");
}

TEST(HostExpr, EdgesOfSixtyFourBits) {
  EXPECT_EQ(value(make(ExprOp::Mod, {n(), k()}), INT64_MIN, -1), 0);
  EXPECT_EQ(value(make(ExprOp::Shl, {n(), k()}), 1, 62), int64_t(1) << 62);
  EXPECT_EQ(value(make(ExprOp::Shr, {n(), k()}), -5, 100), -1);
  EXPECT_EQ(value(make(ExprOp::Add, {n(), k()}), INT64_MAX, 0), INT64_MAX);
}

TEST(HostExpr, AndOrAndSelectDoNotLookFurther) {
  ExprRef division = make(ExprOp::Eq, {make(ExprOp::Mod, {n(), k()}), intConstant(0)});
  ExprRef safe = make(ExprOp::And, {make(ExprOp::Ne, {k(), intConstant(0)}), division});
  EXPECT_EQ(std::get<bool>(run(safe, 8, 0).value), false);
  EXPECT_EQ(std::get<bool>(run(safe, 8, 4).value), true);
  ExprRef either = make(ExprOp::Or, {make(ExprOp::Eq, {k(), intConstant(0)}), division});
  EXPECT_EQ(std::get<bool>(run(either, 8, 0).value), true);
  ExprRef chosen = make(ExprOp::Select,
                        {make(ExprOp::Ne, {k(), intConstant(0)}), make(ExprOp::FloorDiv, {n(), k()}), intConstant(7)});
  EXPECT_EQ(value(chosen, 8, 0), 7);
}

TEST(HostExpr, AnIntBesideAFloatBecomesOne) {
  ExprRef sum = make(ExprOp::Add, {n(), x()});
  EXPECT_EQ(sum->kind, ExprKind::Float);
  EXPECT_EQ(std::get<double>(run(sum, 2, 1, 0.5).value), 2.5);
  EXPECT_EQ(std::get<double>(run(make(ExprOp::Div, {n(), k()}), 1, 2).value), 0.5);
  EXPECT_EQ(std::get<bool>(run(make(ExprOp::Lt, {n(), x()}), 2, 1, 2.5).value), true);
}

TEST(HostExpr, ConstantsFold) {
  EXPECT_TRUE(isConstant(*make(ExprOp::Mul, {intConstant(256), intConstant(4)})));
  EXPECT_EQ(toFly(*make(ExprOp::CeilDiv, {n(), make(ExprOp::Mul, {intConstant(256), intConstant(4)})})),
            "ceil_div(n, 1024)");
  EXPECT_EQ(toFly(*make(ExprOp::Mul, {n(), intConstant(1)})), "n");
  EXPECT_EQ(toFly(*make(ExprOp::And, {boolConstant(true), make(ExprOp::Gt, {n(), intConstant(0)})})), "n > 0");
}

TEST(HostExpr, WhatFailsIsNotFoldedAway) {
  ExprRef broken = make(ExprOp::FloorDiv, {intConstant(1), intConstant(0)});
  EXPECT_FALSE(isConstant(*broken));
  EXPECT_EQ(evaluate(*broken, {}).error, "division by zero in `1 // 0`");
}

TEST(HostExpr, SpellingHasTheBracketsItNeeds) {
  auto sub = [](ExprRef a, ExprRef b) { return make(ExprOp::Sub, {a, b}); };
  EXPECT_EQ(toFly(*sub(n(), sub(k(), n()))), "n - (k - n)");
  EXPECT_EQ(toFly(*sub(sub(n(), k()), n())), "n - k - n");
  EXPECT_EQ(toFly(*make(ExprOp::Mul, {make(ExprOp::Add, {n(), k()}), k()})), "(n + k) * k");
  EXPECT_EQ(toFly(*make(ExprOp::Neg, {make(ExprOp::Add, {n(), k()})})), "-(n + k)");
  EXPECT_EQ(
      toFly(*make(ExprOp::Not, {make(ExprOp::And, {make(ExprOp::Lt, {n(), k()}), make(ExprOp::Lt, {k(), n()})})})),
      "not (n < k and k < n)");
  EXPECT_EQ(toFly(*make(ExprOp::Eq, {make(ExprOp::Lt, {n(), k()}), make(ExprOp::Lt, {k(), n()})})),
            "(n < k) == (k < n)");
  EXPECT_EQ(toFly(*make(ExprOp::Mul, {n(), intConstant(-2)})), "n * -2");
  EXPECT_EQ(toFly(*make(ExprOp::Select, {make(ExprOp::Lt, {n(), k()}), n(), k()})), "n if n < k else k");
  EXPECT_EQ(toFly(*make(ExprOp::Max, {n(), make(ExprOp::Add, {n(), x()})})), "max(f64(n), f64(n) + x)");
}

TEST(HostExpr, EachOperationHasAJsonNameOfItsOwn) {
  std::vector<std::string> names;
  for (int op = 0; op <= int(ExprOp::Select); ++op)
    names.push_back(jsonName(ExprOp(op)).str());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
  EXPECT_EQ(jsonName(ExprOp::FloorDiv), "floor_div");
  EXPECT_EQ(operandCount(ExprOp::Select), 3u);
}

TEST(HostExpr, SizeCountsSharedTreesEachTime) {
  ExprRef e = n();
  EXPECT_FALSE(tooLarge(*e));
  for (int i = 0; i < 40; ++i)
    e = make(ExprOp::Add, {e, e});
  EXPECT_TRUE(tooLarge(*e));
  EXPECT_EQ(e->depth, 41u);
}

namespace {
ExprRef op(ExprOp o, ExprRef a, ExprRef b) { return make(o, {a, b}); }
ExprRef i(int64_t value) { return intConstant(value); }
ExprRef isMultiple(ExprRef a, ExprRef b) { return op(ExprOp::Eq, op(ExprOp::Mod, a, b), i(0)); }
} // namespace

TEST(HostExprEqual, PolynomialsAreComparedByTheirNormalForm) {
  ExprRef sum = op(ExprOp::Add, n(), k());
  EXPECT_TRUE(provablyEqual(op(ExprOp::Mul, sum, sum),
                            op(ExprOp::Add, op(ExprOp::Mul, n(), n()),
                               op(ExprOp::Mul, k(), op(ExprOp::Add, k(), op(ExprOp::Mul, i(2), n())))),
                            {}));
  EXPECT_TRUE(provablyEqual(op(ExprOp::Sub, sum, k()), n(), {}));
  EXPECT_FALSE(provablyEqual(n(), k(), {}));
  EXPECT_FALSE(provablyEqual(op(ExprOp::Min, n(), k()), n(), {}));
  EXPECT_TRUE(provablyEqual(op(ExprOp::Min, sum, k()), op(ExprOp::Min, op(ExprOp::Add, k(), n()), k()), {}));
}

TEST(HostExprEqual, DivisionIsExactOnlyWhereThatIsKnown) {
  ExprRef eighth = op(ExprOp::FloorDiv, n(), i(8)), back = op(ExprOp::Mul, eighth, i(8));
  EXPECT_FALSE(provablyEqual(back, n(), {}));
  EXPECT_TRUE(provablyEqual(back, n(), {isMultiple(n(), i(8))}));
  EXPECT_TRUE(provablyEqual(back, n(), {isMultiple(n(), i(16))}));
  EXPECT_FALSE(provablyEqual(back, n(), {isMultiple(n(), i(4))}));
  EXPECT_TRUE(provablyEqual(op(ExprOp::CeilDiv, n(), i(8)), eighth, {isMultiple(n(), i(8))}));
  EXPECT_FALSE(provablyEqual(op(ExprOp::CeilDiv, n(), i(8)), eighth, {}));
  EXPECT_TRUE(provablyEqual(op(ExprOp::FloorDiv, op(ExprOp::Mul, n(), i(8)), i(4)), op(ExprOp::Mul, n(), i(2)), {}));
  // By a product: n % (32 * k) == 0 lets both divide.
  ExprRef fact = isMultiple(n(), op(ExprOp::Mul, i(32), k()));
  EXPECT_TRUE(provablyEqual(op(ExprOp::Mul, op(ExprOp::FloorDiv, n(), k()), k()), n(), {fact}));
  EXPECT_TRUE(provablyEqual(op(ExprOp::FloorDiv, op(ExprOp::FloorDiv, n(), i(32)), k()),
                            op(ExprOp::FloorDiv, n(), op(ExprOp::Mul, k(), i(32))), {fact}));
}

TEST(HostExprEqual, EqualitiesAreFacts) {
  EXPECT_TRUE(provablyEqual(op(ExprOp::Mul, n(), n()), op(ExprOp::Mul, k(), n()), {op(ExprOp::Eq, n(), k())}));
  EXPECT_TRUE(
      provablyEqual(n(), op(ExprOp::Mul, k(), i(4)),
                    {op(ExprOp::And, op(ExprOp::Gt, n(), i(0)), op(ExprOp::Eq, n(), op(ExprOp::Mul, i(4), k())))}));
  EXPECT_FALSE(provablyEqual(n(), k(), {op(ExprOp::Eq, n(), op(ExprOp::Add, n(), i(0)))})); // says nothing, and ends
}

TEST(HostExprEqual, NumbersBeyond64BitsAreNotKnown) {
  auto large = [] { return op(ExprOp::Mul, n(), i(INT64_MAX)); };
  EXPECT_TRUE(provablyEqual(large(), large(), {}));
  EXPECT_FALSE(provablyEqual(op(ExprOp::Mul, large(), large()), op(ExprOp::Mul, large(), large()), {}));
}

TEST(HostExpr, SubstitutionFoldsAnew) {
  ExprRef e = op(ExprOp::CeilDiv, n(), deviceNumber("compute_units"));
  EXPECT_EQ(toFly(*e), "ceil_div(n, device.compute_units)");
  EXPECT_FALSE(evaluate(*e, {int64_t(5)}).ok());
  ExprRef known = substitute(e, [](const ExprRef &leaf) { return i(leaf->op == ExprOp::Device ? 4 : 9); });
  EXPECT_EQ(known->op, ExprOp::IntConstant);
  EXPECT_EQ(known->intValue, 3);
}
