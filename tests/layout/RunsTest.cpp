// What lies next to each other: against brute force over the addresses.
#include "LayoutTesting.h"
#include "compiler/layout/Rearrangement.h"
#include "compiler/layout/Runs.h"

#include <gtest/gtest.h>

#include <random>

namespace fly::layout {
namespace {

/// The runs cover each element once, in order, and each run is one access of its width.
void checkRuns(const AnyLayout &layout, std::int64_t widest, std::int64_t alignment,
               const std::vector<std::int64_t> &starts) {
  Result<Runs> runs = runsOf(layout, widest, alignment);
  ASSERT_TRUE(bool(runs)) << textOf(layout) << ": " << runs.text();
  InferringArithmetic arithmetic;
  std::int64_t next = 0, count = size(domainOf(layout), arithmetic)->value;
  for (const layout::Run &run : runs->runs) {
    ASSERT_EQ(run.first, next);
    next += run.count;
    ASSERT_LE(run.count, std::min(widest, alignment));
    ASSERT_EQ(run.count & (run.count - 1), 0);
    for (std::int64_t start : starts) {
      AnyLayout here = layout;
      auto *composed = std::get_if<ComposedLayout>(&layout);
      if (composed)
        here = ComposedLayout(composed->inner(), start, composed->outer());
      std::int64_t first = evaluate(run.first, here, arithmetic)->leaf().value;
      ASSERT_EQ(first % run.count, 0) << textOf(layout) << " from " << start;
      for (std::int64_t i = 0; i < run.count; ++i)
        ASSERT_EQ(evaluate(run.first + i, here, arithmetic)->leaf().value, first + i)
            << textOf(layout) << " from " << start;
      if (!runs->isBeforeInner)
        ASSERT_EQ(first, run.offset);
      else
        ASSERT_EQ(evaluate(IntTuple(start + run.offset), composed->inner(), arithmetic)->leaf().value, first);
    }
  }
  ASSERT_EQ(next, count);
}

TEST(RunsTest, AreAccessesWhereverTheLayoutStarts) {
  std::mt19937_64 random(7);
  const char *const domains[] = {"16:1", "(4,4):(1,8)", "(8,2):(1,64)", "(2,4):(4,1)", "(2,2,4):(32,1,2)",
                                 "8:2",  "(4,2):(2,1)", "12:1",         "(3,4):(4,1)"};
  for (const char *text : domains)
    for (int round = 0; round < 60; ++round) {
      Layout domain = *parseLayout(text);
      int bits = int(random() % 4), base = int(random() % 5);
      Swizzle swizzle = *makeSwizzle(bits, base, bits + int(random() % 3));
      std::int64_t divisor = std::int64_t(1) << (random() % 8), widest = std::int64_t(1) << (random() % 5),
                   alignment = std::int64_t(1) << (random() % 6);
      checkRuns(domain, widest, alignment, {0});
      std::vector<std::int64_t> starts;
      for (int i = 0; i < 6; ++i)
        starts.push_back(divisor * std::int64_t(random() % 40));
      checkRuns(ComposedLayout(swizzle, Leaf::dynamic(32, divisor), domain), widest, alignment, starts);
      checkRuns(ComposedLayout(swizzle, starts[0], domain), widest, alignment, {starts[0]});
    }
}

TEST(RunsTest, AreAsLongAsTheyMayBe) {
  auto lengths = [](const char *text, std::int64_t widest, std::int64_t alignment) {
    std::vector<std::int64_t> out;
    Result<Runs> runs = runsOf(*parseAnyLayout(text), widest, alignment);
    for (const layout::Run &run : runs->runs)
      out.push_back(run.count);
    return out;
  };
  using Lengths = std::vector<std::int64_t>;
  EXPECT_EQ(lengths("(4,2):(1,8)", 8, 8), (Lengths{4, 4}));
  EXPECT_EQ(lengths("16:1", 8, 8), (Lengths{8, 8}));
  EXPECT_EQ(lengths("16:1", 8, 2), (Lengths{2, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(lengths("S<2,3,3> o ?{div=8} o 16:1", 16, 16), (Lengths{8, 8}));
  EXPECT_EQ(lengths("S<2,3,3> o ?{div=2} o 4:1", 16, 16), (Lengths{2, 2}));
  EXPECT_EQ(lengths("S<2,3,3> o 0 o 16:1", 16, 16), (Lengths{16})); // known to start where nothing is swizzled
}

TEST(RearrangementTest, TextIsReadBack) {
  for (const char *text :
       {"composition 8:1", "zipped_divide <128:1;_>", "tiled_divide <?:1;(2,4):(1,16)>", "group (0,2)", "select (1,0)",
        "flatten", "coalesce 1", "recast (16,8)", "complement 64", "right_inverse"}) {
    Result<Rearrangement> step = parseRearrangement(text);
    ASSERT_TRUE(bool(step)) << text << ": " << step.text();
    EXPECT_EQ(step->text(), text);
    EXPECT_EQ(*parseRearrangement(step->text()), *step);
  }
  EXPECT_FALSE(bool(parseRearrangement("flatten 3")));
  EXPECT_FALSE(bool(parseRearrangement("zip")));
  EXPECT_FALSE(bool(parseRearrangement("zipped_divide <4:1")));
}

TEST(RearrangementTest, DoesWhatTheAlgebraDoes) {
  InferringArithmetic arithmetic;
  auto after = [&](const char *step, const char *layout) {
    Result<AnyLayout> result = parseRearrangement(step)->apply(*parseAnyLayout(layout), arithmetic);
    return result ? textOf(*result) : result.text();
  };
  EXPECT_EQ(after("zipped_divide <2:1;4:1>", "(4,8):(8,1)"), "((2,4),(2,2)):((8,1),(16,4))");
  EXPECT_EQ(after("zipped_divide <2:1;4:1>", "S<1,2,2> o 0 o (4,8):(8,1)"),
            "S<1,2,2> o 0 o ((2,4),(2,2)):((8,1),(16,4))");
  EXPECT_EQ(after("group (0,2)", "(4,8,2):(8,1,32)"), "((4,8),2):((8,1),32)");
  EXPECT_EQ(after("select (1,0)", "(4,8):(8,1)"), "(8,4):(1,8)");
  EXPECT_EQ(after("group 1", "(4,8):(8,1)"), "`group 1` needs two numbers");
  EXPECT_EQ(after("blocked_product <2:1>", "(4,8):(8,1)"), "the operand of `blocked_product <2:1>` must be a layout");
}

} // namespace
} // namespace fly::layout
