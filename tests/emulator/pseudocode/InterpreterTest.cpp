// The interpreter itself: the language's rules on texts of their own, and arithmetic against values known from
// elsewhere.
#include "tests/emulator/pseudocode/Interpreter.h"

#include <gtest/gtest.h>

namespace fly::pseudocode {

namespace {

struct NoHost : Host {
  Value readMemory(uint64_t, unsigned) override { throw Unsupported("memory"); }
  Value convertFromFormat(uint64_t, unsigned) override { throw Unsupported("typed memory"); }
  void convertToFormat(uint64_t, unsigned, const Value &) override { throw Unsupported("typed memory"); }
  void writeMemory(uint64_t, unsigned, const Value &) override { throw Unsupported("memory"); }
  Value readVgpr(unsigned, unsigned) override { throw Unsupported("registers"); }
  void writeVgpr(unsigned, unsigned, const Value &) override { throw Unsupported("registers"); }
  uint32_t readSgpr(unsigned) override { throw Unsupported("registers"); }
  void writeSgpr(unsigned, uint32_t) override { throw Unsupported("registers"); }
  const Text *instruction(const std::string &) override { return nullptr; }
};

/// D0 after `source` with S0, S1, S2 of 64 bits.
Value run(const std::string &source, uint64_t s0 = 0, uint64_t s1 = 0, uint64_t s2 = 0, FloatMode mode = {}) {
  NoHost host;
  Text text = parse(source);
  Interpreter i(text, host);
  i.provide("S0", Value({Type::Bits, 64}, s0), true);
  i.provide("S1", Value({Type::Bits, 64}, s1), true);
  i.provide("S2", Value({Type::Bits, 64}, s2), true);
  i.provide("D0", Value({Type::Bits, 64}, 0), true);
  i.mode = mode;
  i.run();
  return i.cell("D0")->value;
}
uint64_t bits(const std::string &source, uint64_t s0 = 0, uint64_t s1 = 0, uint64_t s2 = 0, FloatMode mode = {}) {
  return static_cast<uint64_t>(run(source, s0, s1, s2, mode).v);
}

} // namespace

TEST(PseudocodeLanguage, SlicesConcatenatesAndReverses) {
  EXPECT_EQ(bits("D0.u32 = { S0[7 : 0].u8, S1[15 : 8].u8 }", 0x12ab, 0xcd34), 0xabcdu);
  EXPECT_EQ(bits("D0.u32[31 : 0] = S0.u32[0 : 31]", 1), 0x80000000u);
  EXPECT_EQ(bits("for i in 0 : 7 do tmp[i] = S0.u32[i * 4 +: 4] != 0U endfor; D0.u32 = tmp", 0xf0010200), 0x94u);
  EXPECT_EQ(bits("D0[31 : 16] = 16'0xbeef; D0.u16 = 16'7"), 0xbeef0007u);
}

TEST(PseudocodeLanguage, ExtendsByTheSignOfEachType) {
  EXPECT_EQ(bits("D0.i32 = 32'I(signext(S0.i8))", 0x80), 0xffffff80u);
  EXPECT_EQ(bits("D0.u32 = (S0.i32 >> 4U)", 0x80000000), 0xf8000000u);
  EXPECT_EQ(bits("D0.u32 = 32'U((64'U(S0.u32) * 64'U(S1.u32)) >> 32U)", ~0u, ~0u), 0xfffffffeu);
  EXPECT_EQ(bits("D0.u32 = S0.i32 < S1.i32 ? 1U : 2U", 0xffffffff, 0), 1u);
  EXPECT_EQ(bits("D0.u32 = S0.u32 < S1.u32 ? 1U : 2U", 0xffffffff, 0), 2u);
}

TEST(PseudocodeLanguage, HasLambdasLoopsAndBranches) {
  EXPECT_EQ(bits("F = lambda(x, y) ( x > y ? x - y : y - x); D0.u32 = F(S0.u32, S1.u32)", 3, 10), 7u);
  EXPECT_EQ(
      bits("tmp = -1; for i in 0 : 31 do if S0.u32[i] == 1'1U then tmp = i; break endif endfor; D0.i32 = tmp", 0x40),
      6u);
  EXPECT_EQ(bits("if S0.u32 == 1U then D0.u32 = 10U elsif S0.u32 == 2U then D0.u32 = 20U else D0.u32 = 30U endif", 2),
            20u);
}

TEST(PseudocodeLanguage, SaysWhatItDoesNotKnow) {
  EXPECT_THROW(parse("if (offset >= 0xe000) {"), Unsupported);
  EXPECT_THROW(run("D0.u32 = NO_SUCH_STATE.u32"), Unsupported);
  EXPECT_THROW(run("D0.u32 = no_such_function(S0.u32)"), Unsupported);
}

TEST(PseudocodeArithmetic, RoundsOnceInEveryMode) {
  const uint64_t one = 0x3f800000, tiny = 0x00000001, negative = 0xbf800000;
  const uint64_t up[4] = {0x3f800000, 0x3f800001, 0x3f800000, 0x3f800000},
                 down[4] = {0xbf800000, 0xbf800000, 0xbf800001, 0xbf800000};
  for (uint8_t round = 0; round < 4; ++round) {
    FloatMode m;
    m.round32 = round;
    EXPECT_EQ(bits("D0.f32 = S0.f32 + S1.f32", one, tiny, 0, m), up[round]);
    EXPECT_EQ(bits("D0.f32 = S0.f32 - S1.f32", negative, tiny, 0, m), down[round]);
  }
  // (1 + 2^-23)^2 - (1 + 2^-22) = 2^-46, lost when the product is rounded.
  EXPECT_EQ(bits("D0.f32 = fma(S0.f32, S0.f32, S2.f32)", 0x3f800001, 0, 0xbf800002), 0x28800000u);
  EXPECT_EQ(bits("D0.f32 = S0.f32 * S0.f32 + S2.f32", 0x3f800001, 0, 0xbf800002), 0u);
}

TEST(PseudocodeArithmetic, KeepsOrFlushesDenormals) {
  FloatMode flush;
  flush.keepIn32 = flush.keepOut32 = false;
  EXPECT_EQ(bits("D0.f32 = S0.f32 * 0.5F", 0x00800000), 0x00400000u);
  EXPECT_EQ(bits("D0.f32 = S0.f32 * 0.5F", 0x00800000, 0, 0, flush), 0u);
  EXPECT_EQ(bits("D0.f32 = S0.f32 * 2.0F", 0x80400000, 0, 0, flush), 0x80000000u);
  EXPECT_EQ(bits("D0.f16 = f32_to_f16(S0.f32)", 0x33000001), 1u) << "just above half the least denormal of f16";
}

TEST(PseudocodeArithmetic, LeavesANansPayloadOpen) {
  Value v = run("D0.f32 = S0.f32 + 1.0F", 0x7f812345);
  EXPECT_EQ(v.v, 0x7fc00000u);
  EXPECT_EQ(v.open, 0x803fffffu);
  EXPECT_EQ(bits("D0.f32 = 32'F(cvtToQuietNAN(64'F(S0.f32)))", 0x7f812345), 0x7fc12345u);
}

TEST(PseudocodeArithmetic, RoundsStochasticallyByTheTopBitsOfTheRandomNumber) {
  auto fp8 = [](uint32_t value, uint32_t random) {
    return bits("D0.fp8 = f32_to_fp8_sr(S0.f32, S1.u32)", value, random);
  };
  EXPECT_EQ(fp8(0x3f880000, 0x7fffffff), 0x38u); // 1 + 1/16 lies halfway between 1 and 1 + 1/8
  EXPECT_EQ(fp8(0x3f880000, 0x80000000), 0x39u);
  EXPECT_EQ(fp8(0x3ff80000, 0x80000000), 0x40u); // 2 - 1/16: carries into the exponent
  EXPECT_EQ(fp8(0xb9800000, 0x7ffff000), 0x80u); // -2^-12 is an eighth of the least denormal
  EXPECT_EQ(fp8(0xb9800000, 0xe0000000), 0x81u);
}

TEST(PseudocodeArithmetic, KnowsTwoOverPiTo1201Bits) {
  EXPECT_EQ(bits("D0.f64 = ldexp(twooverpi(0U), -53)"), 0x3fe45f306dc9c882u);
  EXPECT_EQ(bits("D0.u32 = 32'U(twooverpi(1199U) != 0.0)"), 1u);
  EXPECT_EQ(bits("D0.u32 = 32'U(twooverpi(1201U) != 0.0)"), 0u);
}

TEST(PseudocodeArithmetic, OrdersNansLastAndZerosBySign) {
  EXPECT_EQ(bits("D0.f32 = minnum(S0.f32, S1.f32)", 0x7fc00000, 0x3f800000), 0x3f800000u);
  EXPECT_EQ(bits("D0.f32 = maxnum(S0.f32, S1.f32)", 0x3f800000, 0x7fc00000), 0x3f800000u);
  EXPECT_EQ(bits("D0.f32 = minnum(S0.f32, S1.f32)", 0, 0x80000000), 0x80000000u);
  EXPECT_EQ(bits("D0.f32 = maxnum(S0.f32, S1.f32)", 0, 0x80000000), 0u);
}

TEST(PseudocodeArithmetic, ScalesIntoFormatsWithoutInfinity) {
  auto fp6 = [](uint32_t value, uint32_t scale) {
    return bits("D0.fp6 = f32_to_fp6_scale(S0.f32, S1.u8)", value, scale);
  };
  EXPECT_EQ(fp6(0x3f800000, 127), 0x08u);
  EXPECT_EQ(fp6(0xbf800000, 128), 0x24u);
  EXPECT_EQ(fp6(0x3f800000, 124), 0x1fu) << "8 is beyond";
  EXPECT_EQ(fp6(0x80000000, 255), 0x3fu) << "a NaN scale";
}

} // namespace fly::pseudocode
