// v_smfmac: 4:2 structured sparsity, against the products of an expansion, in double.
//
// Which element of B an element of A meets is written here without k. Numbers: a, ag are element and group of lanes of
// A, b, bg of B; `index` the two bits of that element of A.
//   gfx942: AMD's calculator: the same group of lanes, four elements of B for two of A.
//   gfx950, 16x16x64 and 16x16x128: one-hot probes on the hardware (a published note on its sparse instructions):
//       16-bit:  b = 8 (ag / 2) + 4 ((a % 4) / 2) + index      bg = 2 (ag % 2) + a / 4
//       8-bit:   b = 16 (ag / 2) + 4 ((a % 8) / 2) + index     bg = 2 (ag % 2) + a / 8
//   gfx950, 32x32x32 and 32x32x64: AMD's functional emulator alone, so these count as single source.
#include "tests/emulator/MatrixSupport.h"

namespace fly::emulator::test {
namespace {

struct Partner {
  unsigned element, group;
};
Partner partnerOf(const Shape &s, bool wide, unsigned a, unsigned ag, unsigned index) {
  unsigned quad = widthOf(s.a) == 16 ? 4 : 8; // elements of A in two registers
  if (!wide) return {4 * (a / 2) + index, ag};
  unsigned half = s.m == 16 ? ag / 2 : ag, odd = s.m == 16 ? 2 * (ag % 2) : 0;
  return {2 * quad * half + 4 * (a % quad / 2) + index, odd + a / quad};
}

constexpr const char *narrow[] = {
    "v_smfmac_f32_16x16x32_f16",     "v_smfmac_f32_32x32x16_f16",     "v_smfmac_f32_16x16x32_bf16",
    "v_smfmac_f32_32x32x16_bf16",    "v_smfmac_i32_16x16x64_i8",      "v_smfmac_i32_32x32x32_i8",
    "v_smfmac_f32_16x16x64_fp8_fp8", "v_smfmac_f32_16x16x64_fp8_bf8", "v_smfmac_f32_16x16x64_bf8_fp8",
    "v_smfmac_f32_16x16x64_bf8_bf8", "v_smfmac_f32_32x32x32_fp8_fp8", "v_smfmac_f32_32x32x32_fp8_bf8",
    "v_smfmac_f32_32x32x32_bf8_fp8", "v_smfmac_f32_32x32x32_bf8_bf8"};
constexpr const char *wide[] = {
    "v_smfmac_f32_16x16x64_f16",      "v_smfmac_f32_32x32x32_f16",      "v_smfmac_f32_16x16x64_bf16",
    "v_smfmac_f32_32x32x32_bf16",     "v_smfmac_i32_16x16x128_i8",      "v_smfmac_i32_32x32x64_i8",
    "v_smfmac_f32_16x16x128_fp8_fp8", "v_smfmac_f32_16x16x128_fp8_bf8", "v_smfmac_f32_16x16x128_bf8_fp8",
    "v_smfmac_f32_16x16x128_bf8_bf8", "v_smfmac_f32_32x32x64_fp8_fp8",  "v_smfmac_f32_32x32x64_fp8_bf8",
    "v_smfmac_f32_32x32x64_bf8_fp8",  "v_smfmac_f32_32x32x64_bf8_bf8"};

/// Two different indices in ascending order for each pair of elements, in all sets of the register.
uint32_t randomIndices(std::mt19937 &random) {
  static constexpr uint32_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}; // first | second << 2
  uint32_t word = 0;
  for (unsigned n = 0; n < 8; ++n) word |= pairs[random() % 6] << 4 * n;
  return word;
}

bool check(StepBench &bench, const Shape &s, bool isWide, unsigned cbsz, unsigned abid, std::mt19937 &random) {
  Operand64 a(s.a, s.elementsA()), b(s.b, s.elementsB()), c(s.d, s.elementsD()), d(s.d, s.elementsD());
  fillRandom(a, random);
  fillRandom(b, random);
  fillRandom(c, random);
  uint32_t index[64];
  for (unsigned l = 0; l < 64; ++l) bench.vgpr(atIndex, l) = index[l] = randomIndices(random);
  a.store(bench, atA);
  b.store(bench, atB);
  c.store(bench, atD);
  std::string modifiers = (cbsz ? " cbsz:" + std::to_string(cbsz) : "") + (abid ? " abid:" + std::to_string(abid) : "");
  if (!bench.run(textOf(s, a, b, d, modifiers))) {
    ADD_FAILURE() << bench.error();
    return false;
  }
  d.load(bench, atD);
  // 2 bits an element: sets of that size, which abid picks when cbsz is 0.
  unsigned bits = 2 * s.elementsA(), first = cbsz ? 0 : abid % (32 / bits) * bits;
  Layout at = layoutD32(s.m, s.n, 1);
  for (unsigned l = 0; l < 64; ++l)
    for (unsigned v = 0; v < at[l].size(); ++v) {
      auto [i, j, unused] = at[l][v];
      double sum = c.value(v, l), magnitude = std::fabs(sum);
      for (unsigned ag = 0; ag < 64 / s.m; ++ag)
        for (unsigned e = 0; e < s.elementsA(); ++e) {
          unsigned lane = ag * s.m + i;
          Partner p = partnerOf(s, isWide, e, ag, index[lane] >> (first + 2 * e) & 3);
          double product = a.value(e, lane) * b.value(p.element, p.group * s.n + j);
          sum += product;
          magnitude += std::fabs(product);
        }
      bool right = s.d == Element::I32
                       ? static_cast<uint32_t>(d.get(v, l)) == static_cast<uint32_t>(static_cast<int64_t>(sum))
                       : std::fabs(d.value(v, l) - sum) <= errorBound(s.d, s.k / 2, magnitude);
      if (!right) {
        ADD_FAILURE() << s.name << modifiers << " D[" << i << "][" << j << "] is " << d.value(v, l) << " instead of "
                      << sum;
        return false;
      }
    }
  return true;
}

TEST(MatrixSparse, EveryInstructionAgainstItsExpansion) {
  std::mt19937 random(21);
  for (std::string arch : {"gfx942", "gfx950"})
    for (bool isWide : {false, true}) {
      if (isWide && arch == "gfx942") continue;
      for (const char *name : isWide ? wide : narrow) {
        Shape s = shapeOf(name, arch);
        SCOPED_TRACE(arch + " " + name);
        StepBench bench(arch);
        bool good = check(bench, s, isWide, 0, 0, random) && check(bench, s, isWide, 0, 1, random) &&
                    check(bench, s, isWide, 0, 3, random) && check(bench, s, isWide, 1, 1, random);
        Operand64 a(s.a, s.elementsA()), b(s.b, s.elementsB()), d(s.d, s.elementsD());
        std::string op = opNameOf(bench, textOf(s, a, b, d));
        if (good && isWide && s.m == 32) recordSource(arch, op, "document");
        else if (good) recordSource(arch, op, "facts"), recordSource(arch, op, "float64");
      }
    }
}

TEST(MatrixSparse, WhatTheIndexLeavesOutDoesNotMatter) {
  // Infinity in all rows of B that are not selected: an expansion with zeros would make NaN of it.
  StepBench bench("gfx942");
  for (unsigned r = 0; r < 4; ++r) bench.splat(r, 0);
  for (unsigned r : {64u, 65u}) bench.splat(r, 0x3c003c00);
  // K 0, 1 of each four: 1; 2, 3: infinity.
  for (unsigned r = 80; r < 84; ++r) bench.splat(r, r % 2 ? 0x7c007c00 : 0x3c003c00);
  bench.splat(atIndex, 0x44444444);
  ASSERT_TRUE(bench.run("v_smfmac_f32_16x16x32_f16 v[0:3], v[64:65], v[80:83], v100")) << bench.error();
  EXPECT_EQ(floatOf(bench.vgpr(0, 0)), 16.0f);
  bench.splat(atIndex, 0xeeeeeeee);
  ASSERT_TRUE(bench.run("v_smfmac_f32_16x16x32_f16 v[0:3], v[64:65], v[80:83], v100"));
  EXPECT_EQ(bench.vgpr(0, 0), 0x7f800000u);
}

} // namespace
} // namespace fly::emulator::test
