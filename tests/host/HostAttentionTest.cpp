// Attention of host arrays against its definition, element by element in long double.
#include "compiler/host/HostAttention.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace fly::host;

namespace {
struct Case {
  int64_t batch, queries, keys, heads, headsKv, depth, depthV;
};

HostArray numbers(const Shape &shape, uint64_t seed, double size = 1) {
  return random(shape, Number::F32, seed, Scalar::ofFloat(-size), Scalar::ofFloat(size)).value;
}

/// One row of the output and its LSE.
long double expectRow(const Case &c, const HostArray &q, const HostArray &k, const HostArray &v, const Attention &how,
                      const Attended &got, int64_t b, int64_t h, int64_t i) {
  const int64_t kv = h / (c.heads / c.headsKv);
  const long double scale = how.scale ? *how.scale : 1 / std::sqrt((long double)c.depth);
  std::vector<long double> weight(size_t(c.keys), 0.0L);
  long double sum = how.sink ? std::exp((long double)how.sink->number(h)) : 0;
  for (int64_t j = 0; j < c.keys; ++j) {
    long double s = 0;
    for (int64_t d = 0; d < c.depth; ++d)
      s += (long double)q.number(((b * c.queries + i) * c.heads + h) * c.depth + d) *
           k.number(((b * c.keys + j) * c.headsKv + kv) * c.depth + d);
    s *= scale;
    if (how.softcap > 0)
      s = how.softcap * std::tanh(s / how.softcap);
    if (how.bias)
      s += how.bias->number(i * c.keys + j);
    const int64_t at = i + c.keys - c.queries;
    if (how.alibi)
      s -= (long double)how.alibi->number(b * c.heads + h) * std::abs(at - j);
    if ((how.causal && j > at) || (how.left >= 0 && at - j > how.left) || (how.right >= 0 && j - at > how.right) ||
        (how.mask && how.mask->number(((b * c.heads + h) * c.queries + i) * c.keys + j) == 0))
      continue;
    sum += weight[size_t(j)] = std::exp(s);
  }
  for (int64_t d = 0; d < c.depthV; ++d) {
    long double o = 0;
    for (int64_t j = 0; j < c.keys && sum > 0; ++j)
      o += weight[size_t(j)] / sum * v.number(((b * c.keys + j) * c.headsKv + kv) * c.depthV + d);
    EXPECT_NEAR(got.output.number(((b * c.queries + i) * c.heads + h) * c.depthV + d), double(o), 1e-12);
  }
  const double lse = got.lse.number((b * c.heads + h) * c.queries + i);
  if (sum > 0)
    EXPECT_NEAR(lse, double(std::log(sum)), 1e-12);
  else
    EXPECT_EQ(lse, -INFINITY);
  return sum;
}

void expectDefinition(const Case &c, const Attention &how, unsigned threads = 2) {
  const HostArray q = numbers({c.batch, c.queries, c.heads, c.depth}, 1, 3),
                  k = numbers({c.batch, c.keys, c.headsKv, c.depth}, 2, 3),
                  v = numbers({c.batch, c.keys, c.headsKv, c.depthV}, 3);
  auto got = attend(q, k, v, how, threads);
  ASSERT_TRUE(got.ok()) << got.error;
  EXPECT_EQ(got.value.output.shape, Shape({c.batch, c.queries, c.heads, c.depthV}));
  EXPECT_EQ(got.value.lse.shape, Shape({c.batch, c.heads, c.queries}));
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t h = 0; h < c.heads; ++h)
      for (int64_t i = 0; i < c.queries; ++i)
        expectRow(c, q, k, v, how, got.value, b, h, i);
}
} // namespace

TEST(HostAttention, IsItsDefinition) {
  for (const Case &c : {Case{2, 7, 5, 4, 2, 3, 2}, Case{1, 130, 67, 2, 1, 8, 8}, Case{1, 1, 9, 3, 3, 4, 5}})
    for (bool causal : {false, true}) {
      expectDefinition(c, {.causal = causal});
      expectDefinition(c, {.scale = -0.7, .causal = causal, .softcap = 1.5});
      expectDefinition(c, {.scale = 0, .causal = causal, .left = 2, .right = 1});
    }
  expectDefinition({1, 3, 5, 1, 1, 2, 2}, {.left = 0, .right = -1});
}

TEST(HostAttention, SinkAlibiBiasAndMask) {
  const Case c{2, 5, 6, 4, 2, 3, 2};
  const HostArray sink = numbers({4}, 4), alibi = numbers({2, 4}, 5), bias = numbers({5, 6}, 6),
                  mask = random({2, 4, 5, 6}, Number::Bool, 7).value;
  expectDefinition(c, {.causal = true, .sink = &sink, .alibi = &alibi, .bias = &bias, .mask = &mask});
}

TEST(HostAttention, ARowWithoutKeysIsZero) {
  const HostArray q = numbers({4, 1, 2}, 1), k = numbers({2, 1, 2}, 2), sink = numbers({1}, 3);
  auto got = attend(q, k, k, {.causal = true}); // of one sequence
  ASSERT_TRUE(got.ok()) << got.error;
  EXPECT_EQ(got.value.output.shape, Shape({4, 1, 2}));
  EXPECT_EQ(got.value.output.number(0), 0);
  EXPECT_EQ(got.value.lse.number(1), -INFINITY);
  EXPECT_NEAR(got.value.output.number(4), k.number(0), 1e-12); // query 2 sees key 0
  auto withSink = attend(q, k, k, {.causal = true, .sink = &sink});
  EXPECT_EQ(withSink.value.output.number(0), 0);
  EXPECT_NEAR(withSink.value.lse.number(0), sink.number(0), 1e-12);
  auto none = attend(q, zeros({0, 1, 2}, Number::F32).value, zeros({0, 1, 2}, Number::F32).value, {});
  ASSERT_TRUE(none.ok()) << none.error;
  EXPECT_EQ(none.value.output.number(7), 0);
}

TEST(HostAttention, LargeScoresDoNotOverflow) {
  const HostArray q = numbers({3, 1, 4}, 1, 1e4), k = numbers({5, 1, 4}, 2, 1e4);
  auto got = attend(q, k, k, {});
  ASSERT_TRUE(got.ok());
  for (int64_t i = 0; i < got.value.output.size(); ++i)
    EXPECT_TRUE(std::isfinite(got.value.output.number(i)));
}

TEST(HostAttention, TheNumberOfThreadsHasNoEffect) {
  const HostArray q = numbers({1, 300, 2, 16}, 1), k = numbers({1, 200, 1, 16}, 2);
  std::vector<double> told;
  auto one = attend(q, k, k, {}, {1, [&](double share) { told.push_back(share); }}), three = attend(q, k, k, {}, 3);
  EXPECT_TRUE(one.value.output.elements.hasBytesOf(three.value.output.elements));
  ASSERT_EQ(told.size(), 10u); // two heads of five blocks
  EXPECT_EQ(told.front(), 0);
  EXPECT_EQ(told.back(), 0.9);
}

TEST(HostAttention, WhatDoesNotFitIsSaid) {
  const HostArray q = numbers({1, 2, 3, 4}, 1), k = numbers({1, 5, 2, 4}, 2), k1 = numbers({1, 5, 1, 4}, 2);
  EXPECT_NE(attend(q, k, k, {}).error.find("the heads of q are not a multiple"), std::string::npos);
  EXPECT_NE(attend(q, k1, numbers({1, 6, 1, 4}, 1), {}).error.find("lengths"), std::string::npos);
  EXPECT_NE(attend(q, numbers({1, 5, 1, 3}, 1), k1, {}).error.find("depths"), std::string::npos);
  EXPECT_NE(attend(numbers({2, 3}, 1), k1, k1, {}).error.find("(2, 3)"), std::string::npos);
  const HostArray bias = numbers({2, 6}, 1);
  EXPECT_NE(attend(q, k1, k1, {.bias = &bias}).error.find("`bias` of shape (2, 6)"), std::string::npos);
  EXPECT_NE(attend(empty({1, 2, 3, 4}, Number::F32).value, k1, k1, {}).error.find("never written"), std::string::npos);
}
