// Swizzles and composed layouts: what they compute, and what operations on them keep.
#include "RandomLayouts.h"

#include "compiler/layout/ComposedAlgebra.h"

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
  EXPECT_EQ(errorOf(makeSwizzle(3, 0, 2)), "`S<3,0,2>` is not a bijection: a shift of 2 lets its 3 bits overlap");
  EXPECT_EQ(errorOf(makeSwizzle(-1, 0, 2)), "`S<-1,0,2>` has a negative number of bits");
  EXPECT_EQ(errorOf(makeSwizzle(3, 50, 30)), "`S<3,50,30>` reaches beyond 62 bits");
}

TEST(Composed, TextBothWays) {
  for (const char *text : {"S<3,3,3> o 0 o (8,64):(64,1)", "32:2 o 0 o [32:1 o 0 o (4,8):(1,4)]",
                           "[S<2,1,3> o 4 o 8:1] o 0 o 4:2", "(4,8):(8,1) o (1,2) o (2,2):(1@0,1@1)"})
    EXPECT_EQ(textOf(any(text)), text);
  EXPECT_EQ(textOf(any("Sw<3,3,3> o 0 o 8:1")), "S<3,3,3> o 0 o 8:1");
  EXPECT_EQ(textOf(any("S<3,3,3> o (8,2):(1,8)")), "S<3,3,3> o 0 o (8,2):(1,8)");
  EXPECT_EQ(textOf(any("(4,?{i64 div=4}):(1E0,2E0E1)")), "(4,?{i64,div=4}):(1@0,2@1@0)");
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

TEST(Composed, AllOffsets) {
  using Offsets = std::vector<std::int64_t>;
  EXPECT_EQ(valueOf(offsetsOf(any("(2,3):(1,4)"))), (Offsets{0, 1, 4, 5, 8, 9}));
  EXPECT_EQ(valueOf(offsetsOf(any("(2,0):(1,4)"))), Offsets());
  EXPECT_EQ(valueOf(offsetsOf(any("32:2 o 5 o (2,2):(1,4)"))), (Offsets{10, 12, 18, 20}));
  EXPECT_EQ(valueOf(offsetsOf(any("(2,2):(-1,4)"))), (Offsets{0, -1, 4, 3}));
  EXPECT_EQ(errorOf(offsetsOf(any("(2,?):(1,4)"))), "the size of `(2,?):(1,4)` is not known");
  EXPECT_EQ(errorOf(offsetsOf(any("(2,2):(1,?)"))), "`(2,2):(1,?)` does not give known numbers");
  EXPECT_EQ(errorOf(offsetsOf(any("(2,2):(1@0,1@1)"))), "`(2,2):(1@0,1@1)` does not give known numbers");
  EXPECT_FALSE(offsetsOf(any("(3,3):(4611686018427387904,1)")));
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
    EXPECT_EQ(valueOf(cosize(whole, arithmetic)).value, most + 1) << textOf(whole);
    std::vector<std::int64_t> results;
    for (std::int64_t i = 0; i < bruteSize(layout); ++i)
      results.push_back(at(whole, i));
    ASSERT_EQ(valueOf(offsetsOf(whole)), results) << textOf(whole);
    ASSERT_EQ(valueOf(offsetsOf(AnyLayout(layout))), bruteOffsets(layout)) << layout.text();

    for (std::int64_t index : {most, random.number(0, 200)}) {
      bool reached = false;
      for (std::int64_t i = 0; i < bruteSize(layout); ++i)
        reached |= at(whole, i) == index;
      Result<IntTuple> coordinate = idx2crd(Leaf::known(index), whole, arithmetic);
      ASSERT_EQ(bool(coordinate), reached) << textOf(whole) << " at " << index;
      if (coordinate)
        ASSERT_EQ(valueOf(evaluate(*coordinate, whole, arithmetic)).leaf().value, index) << textOf(whole);
    }
    ASSERT_EQ(valueOf(nullspace(whole, arithmetic)), valueOf(nullspace(layout, arithmetic))) << textOf(whole);
    if (Result<Layout> common = maxCommonLayout(whole, AnyLayout(layout), arithmetic))
      for (std::int64_t i = 0; i < bruteSize(*common); ++i) // a run in both
        ASSERT_EQ(at(whole, bruteOffset(*common, i)) - at(whole, 0), i) << textOf(whole) << " , " << common->text();

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

TEST(Composed, LayoutsAfterLayoutsAsWholeFunctions) {
  RandomLayouts random(201);
  InferringArithmetic arithmetic;
  int spaces = 0;
  for (int round = 0; round < 2000 && !HasFailure(); ++round) {
    Layout inner = random.layout(24), outer = random.any(random.shape(24));
    std::int64_t offset = random.chance(50) ? 0 : random.number(1, 20);
    AnyLayout whole = ComposedLayout(inner, offset, outer);
    std::int64_t most = 0;
    for (std::int64_t i = 0; i < bruteSize(outer); ++i)
      most = std::max(most, bruteOffset(inner, offset + bruteOffset(outer, i)));
    ASSERT_EQ(valueOf(cosize(whole, arithmetic)).value, most + 1) << textOf(whole);
    if (Result<Layout> space = nullspace(whole, arithmetic)) {
      ++spaces;
      for (std::int64_t i = 0; i < bruteSize(*space); ++i)
        ASSERT_EQ(at(whole, bruteOffset(*space, i)), at(whole, 0)) << textOf(whole) << " null space " << space->text();
    }
  }
  EXPECT_GT(spaces, 300);
  EXPECT_EQ(valueOf(nullspace(any("4:8 o 0 o (4,2):(1,0)"), arithmetic)).text(), "2:4");
  EXPECT_EQ(valueOf(nullspace(any("S<1,0,3> o 0 o (8,64):(64,0)"), arithmetic)).text(), "64:8");
  EXPECT_EQ(valueOf(cosize(any("S<3,3,3> o 0 o (3,5):(64,1)"), arithmetic)).value, 149);
}

TEST(Swizzle, AfterASwizzle) {
  InferringArithmetic arithmetic;
  int merged = 0;
  std::vector<Swizzle> all;
  for (int bits = 0; bits <= 3; ++bits)
    for (int base = 0; base <= 3; ++base)
      for (int shift : {-3, -2, 1, 2, 3})
        if (Result<Swizzle> made = makeSwizzle(bits, base, shift))
          all.push_back(*made);
  for (const Swizzle &a : all)
    for (const Swizzle &b : all)
      if (Result<AnyFunction> both = composition(AnyFunction(a), b, arithmetic)) {
        ++merged;
        for (std::int64_t i = 0; i < 1024; ++i)
          ASSERT_EQ(std::get<Swizzle>(*both).apply(i), a.apply(b.apply(i))) << a.text() << " after " << b.text();
      }
  EXPECT_GT(merged, 500);
  RandomLayouts random(202);
  int after = 0;
  for (int round = 0; round < 2000 && !HasFailure(); ++round) {
    Layout layout = random.layout();
    const Swizzle &swizzle = random.oneOf(all);
    Result<AnyFunction> both = composition(AnyFunction(layout), swizzle, arithmetic);
    if (!both)
      continue;
    ++after;
    for (std::int64_t i = 0; i < bruteSize(layout); ++i)
      ASSERT_EQ(valueOf(evaluate(IntTuple(i), *both, arithmetic)).leaf().value, bruteOffset(layout, swizzle.apply(i)))
          << layout.text() << " after " << swizzle.text();
  }
  EXPECT_GT(after, 200);
}

TEST(Composed, RecastMovesTheSwizzle) {
  InferringArithmetic arithmetic;
  EXPECT_EQ(textOf(valueOf(recastLayout(any("S<3,4,3> o 0 o (8,64):(64,1)"), 8, 16, arithmetic))),
            "S<3,3,3> o 0 o (8,32):(32,1)");
  EXPECT_EQ(textOf(valueOf(recastLayout(any("S<3,3,3> o 64 o (8,32):(32,1)"), 16, 8, arithmetic))),
            "S<3,4,3> o 128 o (8,64):(64,1)");
  EXPECT_EQ(errorOf(recastLayout(any("S<3,0,3> o 0 o (8,8):(8,1)"), 8, 16, arithmetic)),
            "a unit of 2 elements is split by `S<3,0,3>`, which keeps only 1 together");
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
