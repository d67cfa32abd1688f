// Dynamic leaves: whatever the algebra decides without knowing a number is what it gives for the number, and known
// divisors hold. Overflow is refused everywhere.
#include "RandomLayouts.h"

namespace fly::layout {
namespace {

/// The result with numbers in place of the unknowns is the same function as the static result.
void expectSame(const Result<Layout> &dynamic, const Result<Layout> &known, const EvaluatingArithmetic &arithmetic,
                const std::string &what, int &decided) {
  if (!dynamic)
    return;
  ++decided;
  Layout numbers = arithmetic.numbers(*dynamic);
  if (known)
    EXPECT_EQ(bruteOffsets(numbers), bruteOffsets(*known)) << what << " = " << dynamic->text();
}

TEST(DynamicProperty, WhatIsDecidedIsRight) {
  RandomLayouts random(100);
  InferringArithmetic inferring;
  std::map<std::string, int> decided;
  for (int round = 0; round < 8000 && !HasFailure(); ++round) {
    EvaluatingArithmetic arithmetic;
    Layout a = random.layout(64), b = random.injective(random.shape(12, 1));
    Layout x = random.withUnknowns(a, arithmetic, 25);
    Layout y = random.chance(50) ? b : random.withUnknowns(b, arithmetic, 15);
    std::string what = x.text() + " , " + y.text() + " for " + a.text() + " , " + b.text();
    expectSame(composition(x, y, arithmetic), composition(a, b, inferring), arithmetic, what, decided["composition"]);
    expectSame(coalesce(x, arithmetic), coalesce(a, inferring), arithmetic, what, decided["coalesce"]);
    expectSame(logicalDivide(x, y, arithmetic), logicalDivide(a, b, inferring), arithmetic, what, decided["divide"]);
    expectSame(logicalProduct(y, x, arithmetic), logicalProduct(b, a, inferring), arithmetic, what, decided["product"]);
    expectSame(columnMajor(x.shape(), arithmetic), columnMajor(a.shape(), inferring), arithmetic, what,
               decided["columnMajor"]);
    expectSame(upcast(x, 4, arithmetic), upcast(a, 4, inferring), arithmetic, what, decided["upcast"]);
    Result<Layout> dynamicComplement = complement(y, arithmetic.unknown(96, 8), arithmetic);
    Result<Layout> knownComplement = complement(b, Leaf::known(96), inferring);
    expectSame(dynamicComplement, knownComplement, arithmetic, what, decided["complement"]);
    Layout inverse = arithmetic.numbers(valueOf(rightInverse(x, arithmetic)));
    for (std::int64_t i = 0; i < bruteSize(inverse); ++i)
      ASSERT_EQ(bruteOffset(a, bruteOffset(inverse, i)), i) << what << " inverse " << inverse.text();
    std::int64_t index = random.number(0, bruteSize(a) - 1);
    EXPECT_EQ(arithmetic.number(valueOf(crd2idx(IntTuple(arithmetic.unknown(index)), x, arithmetic))),
              bruteOffset(a, index))
        << what;
  }
  for (const auto &[name, count] : decided)
    EXPECT_GT(count, 200) << name;
}

TEST(DynamicProperty, SwizzlesOfUnknownOffsets) {
  RandomLayouts random(101);
  for (int round = 0; round < 4000 && !HasFailure(); ++round) {
    EvaluatingArithmetic arithmetic;
    std::int64_t bits = random.number(0, 4), shift = random.number(bits, 6) * (random.chance(50) ? 1 : -1);
    Swizzle swizzle = valueOf(makeSwizzle(bits, random.number(0, 5), shift));
    std::int64_t offset = random.number(0, 1 << 16), divisor = offset % 8 == 0 ? 8 : 1;
    Leaf result = valueOf(swizzle.apply(arithmetic.unknown(offset, divisor), arithmetic));
    EXPECT_EQ(arithmetic.number(result), swizzle.apply(offset)) << swizzle.text() << " of " << offset;
    EXPECT_EQ(arithmetic.number(result) % (result.isDynamic() ? result.divisibility : 1), 0) << swizzle.text();
  }
}

TEST(DynamicProperty, HugeNumbersAreRefusedOrRight) {
  RandomLayouts random(102);
  InferringArithmetic arithmetic;
  static const std::vector<std::int64_t> huge = {
      1, 2, 3, 1 << 20, (std::int64_t(1) << 31) - 1, std::int64_t(1) << 40, std::int64_t(1) << 61, INT64_MAX, 0};
  auto number = [&] { return IntTuple(random.oneOf(huge)); };
  int refused = 0;
  for (int round = 0; round < 6000; ++round) {
    Layout a(IntTuple(std::vector<IntTuple>{number(), number(), number()}),
             IntTuple(std::vector<IntTuple>{number(), number(), number()}));
    Layout b(IntTuple(std::vector<IntTuple>{number(), number()}), IntTuple(std::vector<IntTuple>{number(), number()}));
    auto count = [&](const auto &result) { refused += !result; };
    count(size(a, arithmetic));
    count(cosize(a, arithmetic));
    count(coalesce(a, arithmetic));
    count(composition(a, b, arithmetic));
    count(complement(a, Leaf::known(INT64_MAX), arithmetic));
    count(logicalDivide(a, b, arithmetic));
    count(logicalProduct(a, b, arithmetic));
    count(rakedProduct(a, b, arithmetic));
    count(rightInverse(a, arithmetic));
    count(leftInverse(a, arithmetic));
    count(upcast(a, 8, arithmetic));
    count(downcast(a, 8, arithmetic));
    count(maxCommonLayout(a, b, arithmetic));
    count(layoutLike(a, arithmetic));
    count(layoutTV(a, b, arithmetic));
    count(crd2idx(IntTuple(INT64_MAX), a, arithmetic));
    count(idx2crd(Leaf::known(INT64_MAX), a, arithmetic));
    count(tileToShape(a, IntTuple(std::vector<IntTuple>{number(), number(), number()}), T("(0,1,2)"), arithmetic));
  }
  EXPECT_GT(refused, 10000);
}

} // namespace
} // namespace fly::layout
