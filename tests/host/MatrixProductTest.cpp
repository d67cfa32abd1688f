// Matrix products of host arrays against their definition.
#include "compiler/host/HostArray.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace fly::host;

/// One element after the other, as the header defines the order of sums; batches are flat and of equal extents.
static HostArray naive(const HostArray &a, const HostArray &b) {
  int64_t m = a.shape.end()[-2], k = a.shape.back(), n = b.shape.back();
  Shape shape = a.shape;
  shape.back() = n;
  int64_t count = 1;
  for (size_t axis = 0; axis + 2 < a.shape.size(); ++axis)
    count *= a.shape[axis];
  std::vector<double> floats;
  std::vector<Int> integers;
  for (int64_t at = 0; at < count; ++at)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        Int exact = 0;
        for (int64_t p = 0; p < k; ++p) {
          Scalar x = a.at((at * m + i) * k + p), y = b.at((at * k + p) * n + j);
          volatile double product = x.toDouble() * y.toDouble(); // rounded on its own
          sum += product;
          exact += x.integer * y.integer;
        }
        floats.push_back(sum);
        integers.push_back(exact);
      }
  return a.isFloat() || b.isFloat() ? arrayOfNumbers(shape, floats).value : arrayOfIntegers(shape, integers).value;
}

/// Equal to the bit, so that -0 is not 0.
static void expectSame(const ArrayResult &got, const HostArray &expected, const std::string &what) {
  ASSERT_TRUE(got.ok()) << what << ": " << got.error;
  EXPECT_EQ(got.value.shape, expected.shape) << what;
  EXPECT_EQ(got.value.kind, expected.kind) << what;
  EXPECT_FALSE(got.value.type) << what;
  ASSERT_EQ(got.value.size(), expected.size()) << what;
  for (int64_t i = 0; i < expected.size(); ++i)
    if (expected.isFloat())
      ASSERT_EQ(std::bit_cast<uint64_t>(got.value.number(i)), std::bit_cast<uint64_t>(expected.number(i))) << what << i;
    else
      ASSERT_TRUE(got.value.integer(i) == expected.integer(i)) << what << i;
}

struct Extents {
  int64_t m, n, k;
};

TEST(MatrixProduct, IsItsDefinitionForAnyShapeTypeAndNumberOfThreads) {
  // Around the sides of tiles (4) and of blocks (128, 256, 256); the last is large enough to start threads.
  const Extents shapes[] = {{1, 1, 1},    {1, 7, 3},   {5, 1, 2},    {4, 4, 4},      {3, 5, 257},
                            {13, 11, 17}, {129, 3, 5}, {2, 257, 31}, {131, 259, 263}};
  for (const NumberFormat &f : allFormats())
    for (auto [m, n, k] : shapes) {
      if (m > 128 && n > 128 && f.number != Number::F32 && f.number != Number::I8 && f.number != Number::I64)
        continue;
      HostArray a = random({m, k}, f.number, 1).value, b = random({k, n}, f.number, 2).value, c = naive(a, b);
      for (unsigned threads : {1u, 2u, 5u})
        expectSame(matmul(a, b, threads), c, std::string(f.name) + " " + toText({m, n, k}));
    }
}

TEST(MatrixProduct, OfIntegersIsExactAtAnyMagnitude) {
  for (int bits : {20, 26, 27, 31, 32, 59, 62, 63}) { // factors in double, in 64 bits, in 128 bits
    Scalar lo = Scalar::ofInt(-(Int(1) << bits)), hi = Scalar::ofInt((Int(1) << bits) - 1);
    HostArray a = random({9, 33}, Number::I64, 1, lo, hi).value, b = random({33, 6}, Number::I64, 2, lo, hi).value;
    if (bits > 60)
      b = random({33, 6}, Number::I64, 2).value; // 128 bits hold the sums
    expectSame(matmul(a, b), naive(a, b), std::to_string(bits) + " bits");
  }
  HostArray big = full({1, 2}, Scalar::ofInt(Int(1) << 100), {}).value, one = full({2, 1}, Scalar::ofInt(1), {}).value;
  EXPECT_TRUE(matmul(big, one).value.integer(0) == Int(1) << 101);
  HostArray much = full({2, 1}, Scalar::ofInt(Int(1) << 26), {}).value;
  EXPECT_EQ(matmul(big, much).error, "the integer result needs more than 128 bits in `@`");
}

TEST(MatrixProduct, OverflowOnTheWayIsRefusedWhereverItIs) {
  // The sum returns into range; the last block of many is the one that leaves it.
  HostArray a = full({300, 3}, Scalar::ofInt(0), {}).value, b = full({3, 300}, Scalar::ofInt(Int(1) << 63), {}).value;
  for (int64_t p = 0; p < 3; ++p)
    a.elements.setInteger(299 * 3 + p, p < 2 ? Int(1) << 63 : -(Int(1) << 63));
  for (unsigned threads : {1u, 3u})
    EXPECT_EQ(matmul(a, b, threads).error, "the integer result needs more than 128 bits in `@`");
}

TEST(MatrixProduct, SignsOfZeroInfinitiesAndNansAreThoseOfTheSums) {
  HostArray a = random({6, 5}, Number::F64, 1).value, b = random({5, 7}, Number::F64, 2).value;
  a.elements.setNumber(0, INFINITY);
  b.elements.setNumber(1, -INFINITY);
  for (int64_t p = 0; p < 5; ++p)
    a.elements.setNumber(5 + p, -0.0);
  HostArray c = matmul(a, b).value, d = naive(a, b);
  for (int64_t i = 0; i < c.size(); ++i) {
    EXPECT_EQ(std::isnan(c.number(i)), std::isnan(d.number(i))) << i;
    if (!std::isnan(d.number(i)))
      EXPECT_EQ(std::bit_cast<uint64_t>(c.number(i)), std::bit_cast<uint64_t>(d.number(i))) << i;
  }
  EXPECT_TRUE(std::isnan(c.number(8)));    // -0 times -inf
  EXPECT_FALSE(std::signbit(c.number(7))); // 0 + -0 * x
}

TEST(MatrixProduct, WithoutProductsIsZerosOrEmpty) {
  for (Number type : {Number::F16, Number::I32}) {
    auto product = [&](const Shape &x, const Shape &y) {
      return matmul(zeros(x, type).value, zeros(y, type).value).value;
    };
    EXPECT_EQ(toText(product({2, 0}, {0, 3})),
              type == Number::F16 ? "[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]" : "[[0, 0, 0], [0, 0, 0]]");
    EXPECT_EQ(product({0, 4}, {4, 3}).shape, Shape({0, 3}));
    EXPECT_EQ(product({3, 4}, {4, 0}).shape, Shape({3, 0}));
    EXPECT_EQ(product({0, 3, 4}, {4, 2}).shape, Shape({0, 3, 2}));
  }
}

TEST(MatrixProduct, BatchesBroadcastOnBothSides) {
  HostArray a = random({3, 1, 5, 4}, Number::BF16, 1).value, b = random({2, 4, 6}, Number::BF16, 2).value;
  HostArray c = naive(broadcastTo(a, {3, 2, 5, 4}).value, broadcastTo(b, {3, 2, 4, 6}).value);
  for (unsigned threads : {1u, 4u})
    expectSame(matmul(a, b, threads), c, "broadcast");
}

TEST(MatrixProduct, OfIntegersAndFloatsIsFloat) {
  HostArray a = random({5, 6}, Number::I16, 1).value, b = random({6, 3}, Number::F16, 2).value;
  expectSame(matmul(a, b), naive(a, b), "mixed");
}

TEST(MatrixProduct, UnwrittenElementsPoisonTheirRowsAndColumns) {
  HostArray a = random({2, 3, 4}, Number::F32, 1).value, b = random({2, 4, 2}, Number::F32, 2).value;
  a.poisoned.assign(24, false);
  b.poisoned.assign(16, false);
  a.poisoned.set(2 * 4 + 1, true);     // product 0, row 2
  b.poisoned.set(8 + 3 * 2 + 1, true); // product 1, column 1
  const HostArray c = matmul(a, b).value;
  const std::vector<bool> expected{0, 0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1};
  for (int64_t i = 0; i < 12; ++i)
    EXPECT_EQ(c.isPoisoned(i), expected[size_t(i)]) << i;
}

TEST(MatrixProduct, TooLargeAResultIsRefusedWithItsShapes) {
  HostArray a = zeros({1 << 15, 1}, Number::F32).value, b = zeros({1, 1 << 15}, Number::F32).value;
  EXPECT_EQ(matmul(a, b).error, "an array of shape (32768, 32768) is too large; a host array has at most 2 GiB, "
                                "in (32768, 1) @ (1, 32768)");
}
