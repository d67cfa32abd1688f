// Dense MFMA of every shape and type: products against double within the bound of an f32 (f64) accumulation, integers
// exactly; what happens to NaN, infinity, denormals and overflow; that both builds of the engine agree bit for bit.
//
// The maps written here are those of AMD's calculator as formulas (A and B: any order of k will do as long as it is
// one), and for 16x16x4 f64 its D; what came with gfx950 has the same pattern.
#include "runtime/emulator/decode/Rows.h"
#include "tests/emulator/MatrixSupport.h"

namespace fly::emulator::test {
namespace {

constexpr const char *both[] = {
    "v_mfma_f32_32x32x1_2b_f32",   "v_mfma_f32_16x16x1_4b_f32",   "v_mfma_f32_4x4x1_16b_f32",
    "v_mfma_f32_32x32x2_f32",      "v_mfma_f32_16x16x4_f32",      "v_mfma_f32_32x32x4_2b_f16",
    "v_mfma_f32_16x16x4_4b_f16",   "v_mfma_f32_4x4x4_16b_f16",    "v_mfma_f32_32x32x8_f16",
    "v_mfma_f32_16x16x16_f16",     "v_mfma_f32_32x32x4_2b_bf16",  "v_mfma_f32_16x16x4_4b_bf16",
    "v_mfma_f32_4x4x4_16b_bf16",   "v_mfma_f32_32x32x8_bf16",     "v_mfma_f32_16x16x16_bf16",
    "v_mfma_i32_32x32x4_2b_i8",    "v_mfma_i32_16x16x4_4b_i8",    "v_mfma_i32_4x4x4_16b_i8",
    "v_mfma_i32_32x32x16_i8",      "v_mfma_i32_16x16x32_i8",      "v_mfma_f64_16x16x4_f64",
    "v_mfma_f64_4x4x4_4b_f64",     "v_mfma_f32_16x16x32_fp8_fp8", "v_mfma_f32_16x16x32_fp8_bf8",
    "v_mfma_f32_16x16x32_bf8_fp8", "v_mfma_f32_16x16x32_bf8_bf8", "v_mfma_f32_32x32x16_fp8_fp8",
    "v_mfma_f32_32x32x16_fp8_bf8", "v_mfma_f32_32x32x16_bf8_fp8", "v_mfma_f32_32x32x16_bf8_bf8"};
constexpr const char *only942[] = {"v_mfma_f32_16x16x8_xf32", "v_mfma_f32_32x32x4_xf32"};
constexpr const char *only950[] = {"v_mfma_f32_16x16x32_f16",  "v_mfma_f32_32x32x16_f16", "v_mfma_f32_16x16x32_bf16",
                                   "v_mfma_f32_32x32x16_bf16", "v_mfma_i32_16x16x64_i8",  "v_mfma_i32_32x32x32_i8"};

template <class F> void eachDense(F body) {
  for (std::string arch : {"gfx942", "gfx950"}) {
    std::vector<std::string> names(std::begin(both), std::end(both));
    if (arch == "gfx942") names.insert(names.end(), std::begin(only942), std::end(only942));
    else names.insert(names.end(), std::begin(only950), std::end(only950));
    for (const std::string &name : names) {
      SCOPED_TRACE(arch + " " + name);
      body(arch, shapeOf(name, arch));
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

Layouts layoutsOf(const Shape &s) {
  using P = std::array<unsigned, 3>;
  if (s.d == Element::F64 && s.blocks == 4)
    return {layoutBy(1, [](unsigned l, unsigned) -> P { return {l % 4, l / 16, l / 4 % 4}; }),
            layoutBy(1, [](unsigned l, unsigned) -> P { return {l / 16, l % 4, l / 4 % 4}; }),
            layoutBy(1, [](unsigned l, unsigned) -> P { return {l / 16, l % 4, l / 4 % 4}; })};
  unsigned m = s.m, each = s.elementsA();
  auto k = [=](unsigned l, unsigned v) { return s.blocks > 1 ? v : l / m * each + v; };
  auto block = [=](unsigned l) { return s.blocks > 1 ? l / m : 0; };
  Layouts at;
  at.a = layoutBy(each, [&](unsigned l, unsigned v) -> P { return {l % m, k(l, v), block(l)}; });
  at.b = layoutBy(each, [&](unsigned l, unsigned v) -> P { return {k(l, v), l % m, block(l)}; });
  at.d = s.d == Element::F64 ? layoutBy(4, [](unsigned l, unsigned v) -> P { return {4 * v + l / 16, l % 16, 0}; })
                             : layoutD32(s.m, s.n, s.blocks);
  return at;
}

TEST(MatrixProduct, EveryDenseInstructionWithinItsBound) {
  std::mt19937 random(11);
  eachDense([&](const std::string &arch, const Shape &s) {
    StepBench bench(arch);
    Layouts at = layoutsOf(s);
    for (unsigned n = 0; n < 4; ++n)
      if (!checkProduct(bench, s, at, random)) return;
    Operand64 a(s.a, s.elementsA()), b(s.b, s.elementsB()), d(s.d, s.elementsD());
    recordSource(arch, opNameOf(bench, textOf(s, a, b, d)), "float64");
  });
}

TEST(MatrixProduct, PortableAndFastEnginesGiveTheSameBits) {
#ifdef FLY_EMULATOR_HAS_AVX2
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("f16c"))
    GTEST_SKIP();
  auto handlerIn = [](RowTables tables, std::string_view name) -> Handler {
    for (auto rows : tables)
      for (const Row &row : rows)
        if (row.name == name) return row.run;
    return nullptr;
  };
  std::mt19937 random(12);
  eachDense([&](const std::string &arch, const Shape &s) {
    StepBench bench(arch);
    Operand64 a(s.a, s.elementsA()), b(s.b, s.elementsB()), d(s.d, s.elementsD()), e(s.d, s.elementsD());
    // Any bits: NaNs, infinities, denormals.
    for (unsigned r = 0; r < 128; ++r)
      for (unsigned l = 0; l < 64; ++l) bench.vgpr(r, l) = random() & (random() % 4 ? ~0u : 0x807f80ffu);
    int n = bench.add(textOf(s, a, b, d));
    ASSERT_GE(n, 0) << bench.error();
    Inst inst = bench.program().code(0)[n];
    std::string name(isa::name(bench.instruction(n).op));
    Handler portable = handlerIn(portableRows(), name), fast = handlerIn(avx2Rows(), name);
    ASSERT_TRUE(portable && fast && portable != fast);
    portable(bench.wave(), inst);
    d.load(bench, atD);
    fast(bench.wave(), inst);
    e.load(bench, atD);
    ASSERT_EQ(d.words, e.words);
  });
#else
  GTEST_SKIP() << "there is only one build";
#endif
}

/// Puts a, b and c alone into row 0, column 0, k 0 of a 16x16x16 f16 product; element 0 of lane 0 of each.
uint32_t singleProduct(uint32_t a, uint32_t b, uint32_t c) {
  StepBench bench("gfx942");
  for (unsigned r = 0; r < 16; ++r) bench.splat(r, 0);
  bench.vgpr(4, 0) = a;
  bench.vgpr(6, 0) = b;
  bench.vgpr(8, 0) = c;
  EXPECT_TRUE(bench.run("v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[8:11]")) << bench.error();
  return bench.vgpr(0, 0);
}

TEST(MatrixProduct, SpecialValues) {
  const uint32_t one = 0x3c00, infinity = 0x7c00, minusInfinity = 0xfc00, signalling = 0x7d01;
  EXPECT_EQ(singleProduct(one, one, 0), 0x3f800000u);
  EXPECT_EQ(singleProduct(infinity, one, 0), 0x7f800000u);
  EXPECT_EQ(singleProduct(infinity, 0, 0), 0x7fc00000u) << "a new NaN is positive and quiet";
  EXPECT_EQ(singleProduct(infinity, one, 0xff800000u), 0x7fc00000u);
  EXPECT_EQ(singleProduct(minusInfinity, one, 0xff800000u), 0xff800000u);
  EXPECT_EQ(singleProduct(signalling, one, 0), 0x7fc00000u);
  EXPECT_EQ(singleProduct(one, one, 0x7f800001u), 0x7fc00000u);
  EXPECT_EQ(singleProduct(1, 1, 0), bitsOf(0x1p-48f)) << "f16 denormals are values";
  EXPECT_EQ(singleProduct(0, 0, 3), 3u) << "and f32 denormals";
  EXPECT_EQ(singleProduct(0x8000, one, 0x80000000u) & 0x7fffffffu, 0u);
}

TEST(MatrixProduct, EightBitFormatsDifferBetweenGenerations) {
  // 0x40 is 2 in OCP's E4M3 and 1... FNUZ has a bias one larger: the same code is half as large.
  for (auto [arch, expected] : {std::pair{"gfx942", 1.0f * 1.0f * 32}, std::pair{"gfx950", 2.0f * 2.0f * 32}}) {
    StepBench bench(arch);
    for (unsigned r : {4u, 5u, 6u, 7u}) bench.splat(r, 0x40404040);
    ASSERT_TRUE(bench.run("v_mfma_f32_16x16x32_fp8_fp8 v[0:3], v[4:5], v[6:7], 0")) << bench.error();
    EXPECT_EQ(floatOf(bench.vgpr(0, 0)), expected) << arch;
    // 0x80: minus zero, or the NaN.
    bench.splat(4, 0x80808080);
    ASSERT_TRUE(bench.run("v_mfma_f32_16x16x32_fp8_fp8 v[0:3], v[4:5], v[6:7], 0"));
    EXPECT_EQ(bench.vgpr(0, 0) == 0x7fc00000u, std::string(arch) == "gfx942");
  }
}

TEST(MatrixProduct, IntegersWrap) {
  StepBench bench("gfx942");
  for (unsigned r : {4u, 5u, 6u, 7u}) bench.splat(r, 0x80808080); // -128
  for (unsigned r = 8; r < 12; ++r) bench.splat(r, 0x7fffffff);
  ASSERT_TRUE(bench.run("v_mfma_i32_16x16x32_i8 v[0:3], v[4:5], v[6:7], v[8:11]")) << bench.error();
  EXPECT_EQ(bench.vgpr(3, 17), 0x7fffffffu + 32u * 128 * 128);
}

} // namespace
} // namespace fly::emulator::test
