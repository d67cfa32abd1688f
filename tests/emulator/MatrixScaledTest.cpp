// v_mfma_*_f8f6f4 and v_mfma_scale_*: 25 pairs of formats, a scale of its own for each row and block of 32 k's, each
// choice of the scales' byte. Mixed formats and different scales, because with equal ones a wrong order of k in both
// operands goes unseen.
//
// The maps are those found by probing AMD's functional emulator (its 8-bit and fp4 runs match AMD's published samples):
//   8-bit k = run of 16 elements, first half of a lane, then the second half; 6- and 4-bit: 32 consecutive k's a lane;
//   lane l's scale serves row l % m and the l / m-th 32 k's.
#include "tests/emulator/MatrixSupport.h"

namespace fly::emulator::test {
namespace {

constexpr Element formats[] = {Element::Fp8, Element::Bf8, Element::Fp6, Element::Bf6, Element::Fp4};

unsigned kOf(Element e, unsigned m, unsigned l, unsigned v) {
  unsigned groups = 64 / m;
  return widthOf(e) == 8 ? 16 * groups * (v / 16) + 16 * (l / m) + v % 16 : 32 * (l / m) + v;
}
Layouts layoutsOf(const Shape &s) {
  using P = std::array<unsigned, 3>;
  return {layoutBy(32, [&](unsigned l, unsigned v) -> P { return {l % s.m, kOf(s.a, s.m, l, v), 0}; }),
          layoutBy(32, [&](unsigned l, unsigned v) -> P { return {kOf(s.b, s.m, l, v), l % s.m, 0}; }),
          layoutD32(s.m, s.n, 1)};
}

struct Scales {
  uint32_t a[64], b[64];
  Scales(std::mt19937 &random) {
    for (unsigned l = 0; l < 64; ++l) {
      a[l] = b[l] = 0;
      for (unsigned byte = 0; byte < 4; ++byte) {
        a[l] |= (117 + random() % 20) << 8 * byte;
        b[l] |= (117 + random() % 20) << 8 * byte;
      }
    }
  }
};

bool check(StepBench &bench, const Shape &s, const std::string &modifiers, const Scales &scales, int byteA, int byteB,
           std::mt19937 &random) {
  Operand64 a(s.a, 32), b(s.b, 32), c(s.d, s.elementsD()), d(s.d, s.elementsD());
  fillRandom(a, random);
  fillRandom(b, random);
  fillRandom(c, random);
  a.store(bench, atA);
  b.store(bench, atB);
  c.store(bench, atC);
  for (unsigned l = 0; l < 64; ++l) {
    bench.vgpr(atScaleA, l) = scales.a[l];
    bench.vgpr(atScaleB, l) = scales.b[l];
  }
  if (!bench.run(textOf(s, a, b, d, modifiers))) {
    ADD_FAILURE() << bench.error();
    return false;
  }
  d.load(bench, atD);
  Layouts at = layoutsOf(s);
  Dense x = denseOf(a, at.a, s.m, s.k, 1), y = denseOf(b, at.b, s.k, s.n, 1);
  auto scale = [&](const uint32_t *of, int byte, unsigned outer, unsigned k) {
    return byte < 0 ? 1.0 : std::ldexp(1.0, static_cast<int>(of[k / 32 * s.m + outer] >> 8 * byte & 255) - 127);
  };
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned v = 0; v < at.d[l].size(); ++v) {
      auto [i, j, unused] = at.d[l][v];
      double sum = c.value(v, l), magnitude = std::fabs(sum);
      for (unsigned k = 0; k < s.k; ++k) {
        double product = x(i, k, 0) * y(k, j, 0) * scale(scales.a, byteA, i, k) * scale(scales.b, byteB, j, k);
        sum += product;
        magnitude += std::fabs(product);
      }
      if (!(std::fabs(d.value(v, l) - sum) <= errorBound(s.d, s.k, magnitude))) {
        ADD_FAILURE() << s.name << modifiers << " D[" << i << "][" << j << "] is " << d.value(v, l) << " instead of "
                      << sum;
        return false;
      }
    }
  return true;
}

Shape shapeFor(bool scaled, unsigned m, Element a, Element b) {
  Shape s;
  s.name =
      std::string("v_mfma_") + (scaled ? "scale_" : "") + (m == 16 ? "f32_16x16x128_f8f6f4" : "f32_32x32x64_f8f6f4");
  s.m = s.n = m;
  s.k = m == 16 ? 128 : 64;
  s.a = a;
  s.b = b;
  s.d = Element::F32;
  return s;
}
std::string formatModifiers(unsigned a, unsigned b) {
  return (a ? " cbsz:" + std::to_string(a) : "") + (b ? " blgp:" + std::to_string(b) : "");
}

TEST(MatrixScaled, AllPairsOfFormatsWithoutScales) {
  std::mt19937 random(31);
  StepBench bench("gfx950");
  Scales unused(random);
  for (unsigned m : {16u, 32u}) {
    bool good = true;
    for (unsigned a = 0; a < 5; ++a)
      for (unsigned b = 0; b < 5; ++b)
        good = good &&
               check(bench, shapeFor(false, m, formats[a], formats[b]), formatModifiers(a, b), unused, -1, -1, random);
    if (good) recordSource("gfx950", m == 16 ? "V_MFMA_F32_16X16X128_F8F6F4" : "V_MFMA_F32_32X32X64_F8F6F4", "float64");
  }
}

TEST(MatrixScaled, AllPairsOfFormatsWithAScaleForEachRowAndBlock) {
  std::mt19937 random(32);
  StepBench bench("gfx950");
  for (unsigned m : {16u, 32u}) {
    bool good = true;
    for (unsigned a = 0; a < 5; ++a)
      for (unsigned b = 0; b < 5; ++b) {
        unsigned byteA = random() % 4, byteB = random() % 4;
        std::string select = " op_sel:[" + std::to_string(byteA & 1) + "," + std::to_string(byteB & 1) +
                             ",0] op_sel_hi:[" + std::to_string(byteA >> 1) + "," + std::to_string(byteB >> 1) + ",0]";
        good = good &&
               check(bench, shapeFor(true, m, formats[a], formats[b]), ", v102, v103" + select + formatModifiers(a, b),
                     Scales(random), static_cast<int>(byteA), static_cast<int>(byteB), random);
      }
    if (good)
      recordSource("gfx950", m == 16 ? "V_MFMA_SCALE_F32_16X16X128_F8F6F4" : "V_MFMA_SCALE_F32_32X32X64_F8F6F4",
                   "float64");
  }
}

TEST(MatrixScaled, ExtremeScales) {
  StepBench bench("gfx950");
  auto run = [&](uint32_t a, uint32_t b) {
    for (unsigned r = atA; r < atA + 4; ++r) bench.splat(r, 0x22222222); // fp4: 1
    for (unsigned r = atB; r < atB + 4; ++r) bench.splat(r, 0x22222222);
    bench.splat(atScaleA, a);
    bench.splat(atScaleB, b);
    EXPECT_TRUE(bench.run(
        "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[64:67], v[80:83], 0, v102, v103 op_sel_hi:[0,0,0] cbsz:4 blgp:4"))
        << bench.error();
    return bench.vgpr(0, 0);
  };
  EXPECT_EQ(run(127, 127), bitsOf(128.0f));
  EXPECT_EQ(run(0, 254), bitsOf(128.0f)) << "neither scale alone over- or underflows";
  EXPECT_EQ(run(254, 254), 0x7f800000u);
  EXPECT_EQ(run(255, 127), 0x7fc00000u) << "255 is the scales' NaN";
  EXPECT_EQ(run(127, 255), 0x7fc00000u);
}

/// The assembler takes vector registers only, because the hardware does what this expects: so the operand is changed in
/// the encoding. Its nine bits are bits 32 to 40.
TEST(MatrixScaled, ScalarsAndConstantsAreScalesByTheirBits30To23) {
  for (auto [operand, word, scale] : {std::tuple(4u, 0x40800000u, 4.0f), std::tuple(4u, 0x7f7f7f7fu, 0x1p127f),
                                      std::tuple(242u, 0u, 1.0f) /* 1.0 */, std::tuple(245u, 0u, 2.0f) /* -2.0 */}) {
    StepBench bench("gfx950");
    for (unsigned r = atA; r < atB + 4; ++r) bench.splat(r, 0x22222222); // fp4: 1
    bench.splat(atScaleB, 0x7f7f7f7f);
    bench.sgpr(4) = word;
    uint8_t bytes[] = {0x00, 0x00, 0xac, 0xd3, 0x66, 0xcf, 0x02, 0x00, 0x00, 0x0c, 0xad, 0xd3, 0x40, 0xa1, 0x02, 0x82};
    bytes[4] = static_cast<uint8_t>(operand);
    bytes[5] &= 0xfe;
    const int number = bench.add(bytes);
    ASSERT_GE(number, 0) << bench.error();
    ASSERT_TRUE(bench.step(number)) << bench.error();
    EXPECT_EQ(floatOf(bench.vgpr(0, 0)), scale * 128) << operand << " " << word;
  }
}

TEST(MatrixScaled, FormatsThatDoNotExistAreRefused) {
  StepBench bench("gfx950");
  EXPECT_FALSE(bench.run("v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[64:71], v[80:87], 0 cbsz:5"));
  EXPECT_NE(bench.error().find("formats"), std::string::npos) << bench.error();
}

} // namespace
} // namespace fly::emulator::test
