// Swizzles and composed layouts: what they compute, and what operations on them keep.
#include "RandomLayouts.h"

#include <algorithm>

namespace fly::layout {
namespace {

AnyLayout any(const std::string &text) {
  AnyFunction function = valueOf(parseFunction(text));
  if (auto *layout = std::get_if<Layout>(&function))
    return *layout;
  return std::get<ComposedLayout>(function);
}
std::int64_t at(const AnyLayout &layout, std::int64_t index) {
  InferringArithmetic arithmetic;
  return valueOf(evaluate(index, layout, arithmetic)).leaf().value;
}
std::string composed(const std::string &outer, const std::string &inner) {
  InferringArithmetic arithmetic;
  Result<AnyLayout> result = composition(valueOf(parseFunction(outer)), any(inner), arithmetic);
  return result ? textOf(*result) : result.text();
}

TEST(Swizzle, IsItsOwnInverseAndPermutesBlocks) {
  for (int bits = 0; bits <= 3; ++bits)
    for (int base = 0; base <= 3; ++base)
      for (int shift : {-4, -3, 3, 4, 5}) {
        Swizzle swizzle = valueOf(makeSwizzle(bits, base, shift));
        std::int64_t block = std::int64_t(1) << (bits + base + std::abs(shift));
        std::vector<bool> hit(static_cast<std::size_t>(block));
        for (std::int64_t i = 0; i < block; ++i) {
          std::int64_t expected = i;
          for (int b = 0; b < bits; ++b) // bit by bit
            if (i >> (base + std::max(0, shift) + b) & 1)
              expected ^= std::int64_t(1) << (base + std::max(0, -shift) + b);
          ASSERT_EQ(swizzle.apply(i), expected) << swizzle.text() << " of " << i;
          ASSERT_EQ(swizzle.apply(expected), i);
          ASSERT_LT(expected, block);
          hit[static_cast<std::size_t>(expected)] = true;
        }
        EXPECT_EQ(std::count(hit.begin(), hit.end(), true), block);
      }
}

TEST(Swizzle, WhatIsNoBijectionIsRefused) {
  EXPECT_EQ(errorOf(makeSwizzle(3, 0, 2)), "`S<3,0,2>` is no bijection: a shift of 2 lets its 3 bits overlap");
  EXPECT_EQ(errorOf(makeSwizzle(-1, 0, 2)), "`S<-1,0,2>` has a negative number of bits");
  EXPECT_EQ(errorOf(makeSwizzle(3, 50, 30)), "`S<3,50,30>` reaches beyond 62 bits");
}

TEST(Composed, TextBothWays) {
  for (const char *text : {"S<3,3,3> o 0 o (8,64):(64,1)", "32:2 o 0 o [32:1 o 0 o (4,8):(1,4)]",
                           "[S<2,1,3> o 4 o 8:1] o 0 o 4:2", "(4,8):(8,1) o (1,2) o (2,2):(1@0,1@1)"})
    EXPECT_EQ(textOf(any(text)), text);
  EXPECT_EQ(textOf(any("Sw<3,3,3> o 0 o 8:1")), "S<3,3,3> o 0 o 8:1");
  EXPECT_EQ(errorOf(parseFunction("S<3,3,3> o 0 o S<2,2,2>")),
            "a swizzle has no shape; expected a layout at character 16 of `S<3,3,3> o 0 o S<2,2,2>`");
  EXPECT_EQ(errorOf(parseFunction("S<3,3,3> o 0 o (4,4):(1@0,1@1)")),
            "`S<3,3,3>` takes offsets; `(4,4):(1@0,1@1)` gives coordinates");
  EXPECT_NE(errorOf(parseFunction(std::string(100000, '['))).find("nests deeper"), std::string::npos);
}

TEST(Composed, Composition) {
  EXPECT_EQ(composed("32:2 o 5 o 32:1", "32:1 o 8 o 8:4"), "32:2 o 5 o [32:1 o 8 o 8:4]");
  EXPECT_EQ(composed("S<3,0,3>", "(8,8):(8,1)"), "S<3,0,3> o 0 o (8,8):(8,1)");
  EXPECT_EQ(composed("S<3,0,3> o 0 o (8,8):(8,1)", "8:8"), "S<3,0,3> o 0 o 8:1");
  EXPECT_EQ(composed("S<0,4,3>", "8:1"), "8:1");
}

TEST(Composed, EqualsTheFunctionsOneAfterTheOther) {
  RandomLayouts random(200);
  InferringArithmetic arithmetic;
  int inverted = 0;
  for (int round = 0; round < 4000 && !HasFailure(); ++round) {
    std::int64_t bits = random.number(0, 3), shift = random.number(bits, 4) * (random.chance(70) ? 1 : -1);
    Swizzle swizzle = valueOf(makeSwizzle(bits, random.number(0, 3), shift));
    Layout layout = random.layout();
    std::int64_t offset = random.chance(50) ? 0 : random.number(1, 64);
    AnyLayout whole = valueOf(compose(swizzle, offset, layout));
    std::int64_t most = 0;
    for (std::int64_t i = 0; i < bruteSize(layout); ++i) {
      ASSERT_EQ(at(whole, i), swizzle.apply(offset + bruteOffset(layout, i))) << textOf(whole);
      most = std::max(most, at(whole, i));
    }
    EXPECT_GT(valueOf(cosize(whole, arithmetic)).value, most) << textOf(whole);

    Layout tile = random.layout(12);
    if (Result<AnyLayout> part = composition(functionOf(whole), tile, arithmetic))
      for (std::int64_t i = 0; i < bruteSize(tile); ++i)
        ASSERT_EQ(at(*part, i), swizzle.apply(offset + bruteOffset(layout, bruteOffset(tile, i)))) << textOf(whole);

    IntTuple coordinate = random.coordinate(layout.shape(), true);
    AnySlice part = valueOf(sliceAndOffset(coordinate, whole, arithmetic));
    SliceAt plain = valueOf(sliceAndOffset(coordinate, layout, arithmetic));
    for (std::int64_t i = 0; i < bruteSize(plain.layout); ++i)
      ASSERT_EQ(at(part.layout, i) + part.offset.leaf().value,
                swizzle.apply(offset + plain.offset.leaf().value + bruteOffset(plain.layout, i)))
          << textOf(whole) << " at " << coordinate.text();

    if (Result<AnyLayout> inverse = rightInverse(whole, arithmetic)) {
      ++inverted;
      std::int64_t count = valueOf(size(domainOf(*inverse), arithmetic)).value;
      for (std::int64_t i = 0; i < count; ++i)
        ASSERT_EQ(at(whole, at(*inverse, i)), i) << textOf(whole) << " inverse " << textOf(*inverse);
    }
    std::vector<std::int64_t> offsets = bruteOffsets(layout);
    std::sort(offsets.begin(), offsets.end());
    if (std::adjacent_find(offsets.begin(), offsets.end()) == offsets.end())
      if (Result<AnyLayout> inverse = leftInverse(whole, arithmetic))
        for (std::int64_t i = 0; i < bruteSize(layout); ++i)
          ASSERT_EQ(at(*inverse, at(whole, i)), i) << textOf(whole) << " inverse " << textOf(*inverse);

    if (Result<AnyLayout> fine = downcast(whole, 4, arithmetic)) {
      Result<AnyLayout> back = upcast(*fine, 4, arithmetic);
      std::vector<Leaf> strides = layout.stride().leaves();
      if (back && std::count(strides.begin(), strides.end(), Leaf::known(1)) > 0)
        for (std::int64_t i = 0; i < bruteSize(layout); ++i)
          ASSERT_EQ(at(*back, i), at(whole, i)) << textOf(whole) << " , " << textOf(*fine);
    }
  }
  EXPECT_GT(inverted, 100);
}

TEST(Composed, RecastMovesTheSwizzle) {
  InferringArithmetic arithmetic;
  EXPECT_EQ(textOf(valueOf(recastLayout(any("S<3,4,3> o 0 o (8,64):(64,1)"), 8, 16, arithmetic))),
            "S<3,3,3> o 0 o (8,32):(32,1)");
  EXPECT_EQ(textOf(valueOf(recastLayout(any("S<3,3,3> o 64 o (8,32):(32,1)"), 16, 8, arithmetic))),
            "S<3,4,3> o 128 o (8,64):(64,1)");
  EXPECT_EQ(errorOf(recastLayout(any("S<3,0,3> o 0 o (8,8):(8,1)"), 8, 16, arithmetic)),
            "a unit of 2 elements is torn apart by `S<3,0,3>`, which keeps only 1 together");
}

TEST(Composed, VectorsUnderASwizzle) {
  InferringArithmetic arithmetic;
  auto vector = [&](const char *a, const char *b) {
    return valueOf(maxCommonVector(any(a), any(b), arithmetic)).value;
  };
  EXPECT_EQ(vector("S<3,3,3> o 0 o (8,64):(64,1)", "(8,64):(64,1)"), 8);
  EXPECT_EQ(vector("S<3,3,3> o 4 o (8,64):(64,1)", "(8,64):(64,1)"), 4);
  EXPECT_EQ(vector("S<3,3,3> o 0 o (8,64):(64,1)", "S<3,3,3> o 0 o (8,64):(64,1)"), 512);
}

} // namespace
} // namespace fly::layout
