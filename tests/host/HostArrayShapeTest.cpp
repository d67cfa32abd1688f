// Reshape, transpose, repeat and Python's subscripts.
#include "compiler/host/HostArray.h"

#include <gtest/gtest.h>

using namespace fly::host;

static HostArray counting(const Shape &shape) {
  int64_t n = 1;
  for (int64_t extent : shape)
    n *= extent;
  return reshape(arange(Scalar::ofInt(0), Scalar::ofInt(n), Scalar::ofInt(1), {}).value, shape).value;
}
static Subscript at(int64_t i) { return {false, i, {}, {}, {}}; }
static Subscript slice(std::optional<int64_t> a, std::optional<int64_t> b, std::optional<int64_t> step = {}) {
  return {true, 0, a, b, step};
}

TEST(HostArrayShape, ReshapeKeepsOrderAndFindsOneExtent) {
  EXPECT_EQ(toText(reshape(counting({6}), {2, -1}).value), "[[0, 1, 2], [3, 4, 5]]");
  EXPECT_EQ(reshape(counting({6}), {4, 2}).error, "cannot reshape (6,), 6 elements, to (4, 2)");
  EXPECT_FALSE(reshape(counting({6}), {-1, -1}).ok());
  EXPECT_FALSE(reshape(counting({6}), {4, -1}).ok());
}

TEST(HostArrayShape, TransposeReordersAxes) {
  EXPECT_EQ(toText(transposeLast(counting({2, 3})).value), "[[0, 3], [1, 4], [2, 5]]");
  HostArray x = counting({2, 3, 4}), y = transpose(x, {2, 0, 1}).value;
  EXPECT_EQ(y.shape, (Shape{4, 2, 3}));
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 3; ++j)
      for (int64_t k = 0; k < 4; ++k)
        EXPECT_EQ(y.integer((k * 2 + i) * 3 + j), x.integer((i * 3 + j) * 4 + k));
  EXPECT_EQ(transpose(x, {}).value.shape, (Shape{4, 3, 2}));
  EXPECT_FALSE(transpose(x, {0, 0, 1}).ok());
  EXPECT_FALSE(transpose(x, {0, 1}).ok());
  EXPECT_FALSE(transposeLast(counting({3})).ok());
}

TEST(HostArrayShape, RepeatCopiesEachElement) {
  EXPECT_EQ(toText(repeat(counting({2, 2}), 2, 1).value), "[[0, 0, 1, 1], [2, 2, 3, 3]]");
  EXPECT_EQ(toText(repeat(counting({2, 2}), 2, 0).value), "[[0, 1], [0, 1], [2, 3], [2, 3]]");
  EXPECT_FALSE(repeat(counting({2}), -1, 0).ok());
}

TEST(HostArrayShape, SubscriptsDropAxesAndSlicesKeepThem) {
  HostArray x = counting({3, 4});
  EXPECT_EQ(toText(subscript(x, {at(-1)}).value), "[8, 9, 10, 11]");
  EXPECT_EQ(toText(subscript(x, {at(1), at(2)}).value), "6");
  EXPECT_EQ(toText(subscript(x, {slice({}, {}), at(0)}).value), "[0, 4, 8]");
  EXPECT_EQ(subscript(x, {at(3)}).error, "index 3 is outside of axis 0 of an array of shape (3, 4)");
  EXPECT_FALSE(subscript(x, {at(0), at(0), at(0)}).ok());
  EXPECT_FALSE(subscript(x, {slice({}, {}, 0)}).ok());
}

// Against the definition: the indices start, start+step, ... that Python would visit.
TEST(HostArrayShape, SlicesFollowPython) {
  const int64_t n = 5;
  HostArray x = counting({n});
  for (int64_t start = -7; start <= 7; ++start)
    for (int64_t stop = -7; stop <= 7; ++stop)
      for (int64_t step : {-3, -2, -1, 1, 2, 3}) {
        int64_t low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
        int64_t i = std::clamp(start < 0 ? start + n : start, low, high);
        int64_t end = std::clamp(stop < 0 ? stop + n : stop, low, high);
        std::vector<Int> expected;
        for (; step < 0 ? i > end : i < end; i += step)
          expected.push_back(i);
        ASSERT_EQ(subscript(x, {slice(start, stop, step)}).value.integers(), expected)
            << start << ":" << stop << ":" << step;
      }
  EXPECT_EQ(toText(subscript(x, {slice({}, {}, -2)}).value), "[4, 2, 0]");
  EXPECT_EQ(toText(subscript(x, {slice(1, INT64_MAX, INT64_MAX)}).value), "[1]");
  EXPECT_EQ(toText(subscript(x, {slice({}, INT64_MIN, INT64_MIN)}).value), "[4]");
}

TEST(HostArrayShape, AssignmentBroadcasts) {
  HostArray x = zeros({2, 3}, Number::U8).value;
  EXPECT_EQ(assign(x, {slice({}, {}), slice(1, {})}, counting({2})), "");
  EXPECT_EQ(toText(x), "[[0, 0, 1], [0, 0, 1]]");
  EXPECT_EQ(assign(x, {at(0)}, scalarArray(Scalar::ofInt(257)).value), "");
  EXPECT_EQ(toText(x), "[[1, 1, 1], [0, 0, 1]]");
  EXPECT_EQ(assign(x, {at(0)}, counting({2})), "cannot broadcast (2,) to (3,)");
}

TEST(HostArrayShape, LongAxesAreShortened) { EXPECT_EQ(toText(counting({20})), "[0, 1, 2, ..., 17, 18, 19]"); }
