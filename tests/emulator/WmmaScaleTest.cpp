// f8f6f4 and 32x16x128 f4 of gfx1250: formats of different width, scales of blocks of 32 and of 16, in each scale
// format. Layouts from facts/wmma_bits.json; with two widths and random scales a wrong order of k cannot hide.
#include "tests/emulator/WmmaBench.h"

#include <cmath>

namespace fly::emulator::test {

namespace {

struct FormatRow {
  Type type;
  const char *name;
};
const FormatRow formats[] = {
    {Type::Fp8, "FP8"}, {Type::Bf8, "BF8"}, {Type::Fp6, "FP6"}, {Type::Bf6, "BF6"}, {Type::Fp4, "FP4"}};

struct ScaleRow {
  const char *name;
  double (*decode)(uint32_t);
  std::vector<uint8_t> codes;
};
const ScaleRow scaleFormats[] = {
    {"E8",
     [](uint32_t c) { return std::ldexp(1.0, static_cast<int>(c) - 127); },
     {124, 125, 126, 127, 128, 129, 130, 120, 135}},
    {"E5M3",
     [](uint32_t c) { return c < 8 ? std::ldexp(c, -17) : std::ldexp(8 + c % 8, static_cast<int>(c / 8) - 18); },
     {0x78, 0x79, 0x7d, 0x80, 0x73, 0x68, 3}},
    {"E4M3", [](uint32_t c) { return valueOf(Type::Fp8, c); }, {0x38, 0x39, 0x3d, 0x40, 0x34, 0x48, 2}}};

std::vector<unsigned> numbers(const llvm::json::Object &o, llvm::StringRef key) {
  std::vector<unsigned> r;
  for (const auto &v : *o.getArray(key)) r.push_back(static_cast<unsigned>(*v.getAsInteger()));
  return r;
}

/// Lays A and B out for their widths, and their scales if the instruction has any.
void layOut(WmmaTest &t) {
  const llvm::json::Object &all = *facts("wmma_bits.json").getAsObject(), &o = *all.getObject("f8f6f4");
  const bool wideA = widthOf(t.a) == 8, wideB = widthOf(t.b) == 8, mixed = wideA != wideB;
  auto of = [&](bool wide) -> const llvm::json::Object & {
    return *o.getObject(mixed ? (wide ? "mixed8" : "mixed6or4") : (wide ? "equalWidth8" : "equalWidth6or4"));
  };
  t.layoutA = bitsFrom(of(wideA));
  t.layoutB = bitsFrom(of(wideB));
  const char *scale = t.scaleBlock == 16 ? "scale16" : "scale";
  t.scaleBitsA = numbers(of(wideA), scale);
  t.scaleBitsB = numbers(of(wideB), scale);
  if (t.m == 32) t.laneRowA = numbers(*all.getObject("A32x16x128"), "laneRow");
}

const char *scaleWord(unsigned block) { return block == 16 ? "scale16_" : block ? "scale_" : ""; }

/// All pairs of formats, without scales and with blocks of 32 and 16.
template <class F> void forPairs(StepBench &, F check) {
  for (unsigned block : {0u, 32u, 16u}) {
    for (const FormatRow &a : formats)
      for (const FormatRow &b : formats) {
        WmmaTest t = wmmaTest("gfx1250", 32, std::string("v_wmma_") + scaleWord(block) + "f32_16x16x128_f8f6f4");
        t.a = a.type;
        t.b = b.type;
        t.scaleBlock = block;
        t.modifiers = std::string("matrix_a_fmt:MATRIX_FMT_") + a.name + " matrix_b_fmt:MATRIX_FMT_" + b.name;
        layOut(t);
        check(t);
      }
    WmmaTest t = wmmaTest("gfx1250", 32, std::string("v_wmma_") + scaleWord(block) + "f32_32x16x128_f4");
    t.a = t.b = Type::Fp4;
    t.scaleBlock = block;
    layOut(t);
    check(t);
  }
}
void setScales(WmmaTest &t, const ScaleRow &a, const ScaleRow &b) {
  t.scaleA = a.decode;
  t.scaleB = b.decode;
  t.scaleCodes = a.codes;
}

} // namespace

TEST(WmmaScale, EveryPairOfFormatsWithScalesOfTheirOwn) {
  StepBench bench("gfx1250");
  forPairs(bench, [&](WmmaTest t) {
    setScales(t, scaleFormats[0], scaleFormats[0]);
    t.any = true; // within the bound: scales spread the terms
    t.run(bench, "facts", 1);
    t.run(bench, "float64", 2);
  });
}

TEST(WmmaScale, TheScaleOfARowLiesInEitherHalfOfTheLanes) {
  StepBench bench("gfx1250");
  forPairs(bench, [&](WmmaTest t) {
    if (!t.scaleBlock) return;
    setScales(t, scaleFormats[0], scaleFormats[0]);
    t.any = true;
    t.modifiers += " matrix_a_scale:MATRIX_SCALE_ROW1";
    if (t.m == 16) t.scaleLaneA = 16; // 32 rows have all lanes anyway
    t.run(bench, "document", 3);
    t.scaleLaneB = 16;
    t.modifiers += " matrix_b_scale:MATRIX_SCALE_ROW1";
    t.run(bench, "document", 4);
  });
}

TEST(WmmaScale, ScalesMayHaveMantissas) {
  StepBench bench("gfx1250");
  for (const ScaleRow &format : scaleFormats)
    for (unsigned block : {32u, 16u}) {
      WmmaTest t = wmmaTest("gfx1250", 32, std::string("v_wmma_") + scaleWord(block) + "f32_16x16x128_f8f6f4");
      t.a = t.b = Type::Fp4;
      t.scaleBlock = block;
      t.modifiers = "matrix_a_fmt:MATRIX_FMT_FP4 matrix_b_fmt:MATRIX_FMT_FP4";
      layOut(t);
      setScales(t, format, format);
      if (std::string(format.name) != "E8")
        t.modifiers += std::string(" matrix_a_scale_fmt:MATRIX_SCALE_FMT_") + format.name +
                       " matrix_b_scale_fmt:MATRIX_SCALE_FMT_" + format.name;
      t.any = true;
      t.run(bench, "document", 5);
    }
}

// LLVM 22 writes v0 as the prefix's third source, which means nothing; assemblers before it wrote 0.
TEST(WmmaScale, TheThirdSourceOfThePrefixMeansNothing) {
  StepBench bench("gfx1250");
  for (uint32_t left : {0u, 0x100u, 0xffu, 0x1ffu})
    forPairs(bench, [&](WmmaTest t) {
      if (!t.scaleBlock) return;
      setScales(t, scaleFormats[0], scaleFormats[0]);
      t.any = true;
      t.prefixSrc2 = left;
      t.modifiers += " matrix_b_scale:MATRIX_SCALE_ROW1 matrix_a_reuse matrix_b_reuse"; // they lie beside the field
      t.scaleLaneB = 16;
      t.run(bench, "document", 7);
    });
}

TEST(WmmaScale, ReuseHintsAndSignsOfC) {
  StepBench bench("gfx1250");
  forPairs(bench, [&](WmmaTest t) {
    setScales(t, scaleFormats[0], scaleFormats[0]);
    t.any = true;
    if (t.scaleBlock) t.modifiers += " matrix_a_reuse matrix_b_reuse";
    t.negateC = t.absoluteC = true;
    t.modifiers += " neg_lo:[0,0,1] neg_hi:[0,0,1]";
    t.run(bench, "document", 6);
  });
}

TEST(WmmaScale, ScalesStayAmongTheFirst256RegistersUnderVgprMsb) {
  StepBench bench("gfx1250");
  std::mt19937 random(11);
  for (unsigned r = 0; r < 128; ++r)
    for (unsigned l = 0; l < 32; ++l) {
      uint32_t v = r >= 96 ? 0x7c7d7e7fu + (random() & 0x03030303u) : random();
      if (r >= 16 && r < 32) v = std::bit_cast<uint32_t>(static_cast<float>(random() % 100));
      bench.vgpr(r, l) = v;
      bench.vgpr(256 + r, l) = bench.vgpr(512 + r, l) = bench.vgpr(768 + r, l) = r < 96 ? v : 0;
    }
  const char *text = "v_wmma_scale_f32_32x16x128_f4 v[0:15], v[32:47], v[64:71], v[16:31], v98, v100";
  ASSERT_TRUE(bench.run(text)) << bench.error();
  ASSERT_TRUE(bench.run("s_set_vgpr_msb 0x6d")) << bench.error(); // Src0 1, Src1 3, Src2 2, Dst 1
  ASSERT_TRUE(bench.run(text)) << bench.error();
  for (unsigned r = 0; r < 16; ++r)
    for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(bench.vgpr(256 + r, l), bench.vgpr(r, l)) << "v" << r << " lane " << l;
}

TEST(WmmaScale, AScaleOfNanMakesItsRowNan) {
  StepBench bench("gfx1250");
  for (unsigned r = 0; r < 128; ++r) bench.splat(r, 0);
  bench.splat(98, 0x7f7f7f7f);
  bench.splat(100, 0x7f7f7f7f);
  bench.vgpr(98, 3) = 0x7fff7f7f;
  ASSERT_TRUE(bench.run("v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[32:47], v[64:79], 1.0, v98, v100"))
      << bench.error();
  for (unsigned l = 0; l < 32; ++l)
    for (unsigned v = 0; v < 8; ++v) {
      float got = std::bit_cast<float>(bench.vgpr(v, l));
      if (8 * (l / 16) + v == 3) EXPECT_TRUE(std::isnan(got)) << l;
      else EXPECT_EQ(got, 1.0f) << l;
    }
}

TEST(WmmaScale, TheLowByteOfAScalarServesEveryLaneAndBlock) {
  StepBench bench("gfx1250");
  for (unsigned r = 0; r < 128; ++r) bench.splat(r, 0x38383838); // fp8: 1.0
  bench.sgpr(4) = 0x80818283;                                    // 16 in the low byte
  bench.sgpr(5) = 0x0000007e;                                    // a half
  ASSERT_TRUE(bench.run("v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[32:47], v[64:79], 0, s4, s5")) << bench.error();
  for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(std::bit_cast<float>(bench.vgpr(0, l)), 8.0f * 128) << l;
}

TEST(WmmaScale, TheConstantZeroIsAScaleOfOne) {
  StepBench bench("gfx1250");
  for (unsigned r = 0; r < 128; ++r) bench.splat(r, 0x38383838); // fp8: 1.0
  bench.sgpr(4) = 0x80;                                          // 2
  ASSERT_TRUE(bench.run("v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[32:47], v[64:79], 0, s4, 0")) << bench.error();
  EXPECT_EQ(std::bit_cast<float>(bench.vgpr(0, 9)), 2.0f * 128);
  bench.sgpr(4) = 0; // a register that holds zero is 2^-127
  ASSERT_TRUE(bench.run("v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[32:47], v[64:79], 0, s4, 0")) << bench.error();
  EXPECT_EQ(std::bit_cast<float>(bench.vgpr(0, 9)), 0x1p-120f);
}

} // namespace fly::emulator::test
