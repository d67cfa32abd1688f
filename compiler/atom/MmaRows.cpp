// The rows of Mma.h. Cycles: AMD's matrix instruction calculator (gfx942, gfx1201), the peaks of AMD's white papers
// (gfx950, gfx1250); those of iu8 on gfx1250 are not published.
#include "compiler/atom/Mma.h"

namespace fly::atom {

namespace {

using Targets = std::vector<MmaTarget>;

MmaTarget gfx942(int64_t cycles) { return {.arch = "gfx942", .cycles = cycles, .inCalculator = true}; }
MmaTarget gfx950(int64_t cycles) { return {.arch = "gfx950", .cycles = cycles}; }
MmaTarget gfx1201(int64_t cycles) { return {.arch = "gfx1201", .cycles = cycles, .inCalculator = true}; }

/// On gfx942 and gfx950 alike.
Targets cdna(int64_t cycles) { return {gfx942(cycles), gfx950(cycles)}; }
Targets cdna3(int64_t cycles) { return {gfx942(cycles)}; }
Targets cdna4(int64_t cycles) { return {gfx950(cycles)}; }
/// LLVM's assembler encodes RDNA 4's for gfx1250 too. Its code generator does not select them there, and AMD's manual
/// does not have them (CDNA5 ISA, table 43).
Targets rdna4(int64_t cycles) { return {gfx1201(cycles), {.arch = "gfx1250", .cycles = 0, .inManual = false}}; }
Targets cdna5(int64_t cycles) { return {{"gfx1250", cycles}}; }

std::vector<MmaRow> makeRows() {
  using enum MmaCall;
  // clang-format off
  std::vector<MmaRow> rows = {
      {"universal_fma", Fma, 1, 1, 1, "float", "float", "float", "", {}},

      // gfx942 and gfx950
      {"v_mfma_f32_32x32x2_f32", Mfma, 32, 32, 2, "f32", "f32", "f32", "llvm.amdgcn.mfma.f32.32x32x2f32", cdna(64)},
      {"v_mfma_f32_16x16x4_f32", Mfma, 16, 16, 4, "f32", "f32", "f32", "llvm.amdgcn.mfma.f32.16x16x4f32", cdna(32)},
      {"v_mfma_f32_32x32x1_2b_f32", Mfma, 32, 32, 1, "f32", "f32", "f32", "llvm.amdgcn.mfma.f32.32x32x1f32", cdna(64),
       2},
      {"v_mfma_f32_16x16x1_4b_f32", Mfma, 16, 16, 1, "f32", "f32", "f32", "llvm.amdgcn.mfma.f32.16x16x1f32", cdna(32),
       4},
      {"v_mfma_f32_4x4x1_16b_f32", Mfma, 4, 4, 1, "f32", "f32", "f32", "llvm.amdgcn.mfma.f32.4x4x1f32", cdna(8), 16},
      {"v_mfma_f32_32x32x4_xf32", Mfma, 32, 32, 4, "tf32", "tf32", "f32", "llvm.amdgcn.mfma.f32.32x32x4.xf32",
       cdna3(32)},
      {"v_mfma_f32_16x16x8_xf32", Mfma, 16, 16, 8, "tf32", "tf32", "f32", "llvm.amdgcn.mfma.f32.16x16x8.xf32",
       cdna3(16)},
      {"v_mfma_f32_32x32x8_f16", Mfma, 32, 32, 8, "f16", "f16", "f32", "llvm.amdgcn.mfma.f32.32x32x8f16", cdna(32)},
      {"v_mfma_f32_16x16x16_f16", Mfma, 16, 16, 16, "f16", "f16", "f32", "llvm.amdgcn.mfma.f32.16x16x16f16", cdna(16)},
      {"v_mfma_f32_32x32x4_2b_f16", Mfma, 32, 32, 4, "f16", "f16", "f32", "llvm.amdgcn.mfma.f32.32x32x4f16", cdna(64),
       2},
      {"v_mfma_f32_16x16x4_4b_f16", Mfma, 16, 16, 4, "f16", "f16", "f32", "llvm.amdgcn.mfma.f32.16x16x4f16", cdna(32),
       4},
      {"v_mfma_f32_4x4x4_16b_f16", Mfma, 4, 4, 4, "f16", "f16", "f32", "llvm.amdgcn.mfma.f32.4x4x4f16", cdna(8), 16},
      {"v_mfma_f32_32x32x8_bf16", Mfma, 32, 32, 8, "bf16", "bf16", "f32", "llvm.amdgcn.mfma.f32.32x32x8bf16.1k",
       cdna(32)},
      {"v_mfma_f32_16x16x16_bf16", Mfma, 16, 16, 16, "bf16", "bf16", "f32", "llvm.amdgcn.mfma.f32.16x16x16bf16.1k",
       cdna(16)},
      {"v_mfma_f32_32x32x4_2b_bf16", Mfma, 32, 32, 4, "bf16", "bf16", "f32", "llvm.amdgcn.mfma.f32.32x32x4bf16.1k",
       cdna(64), 2},
      {"v_mfma_f32_16x16x4_4b_bf16", Mfma, 16, 16, 4, "bf16", "bf16", "f32", "llvm.amdgcn.mfma.f32.16x16x4bf16.1k",
       cdna(32), 4},
      {"v_mfma_f32_4x4x4_16b_bf16", Mfma, 4, 4, 4, "bf16", "bf16", "f32", "llvm.amdgcn.mfma.f32.4x4x4bf16.1k", cdna(8),
       16},
      {"v_mfma_i32_32x32x16_i8", Mfma, 32, 32, 16, "i8", "i8", "i32", "llvm.amdgcn.mfma.i32.32x32x16.i8", cdna(32)},
      {"v_mfma_i32_16x16x32_i8", Mfma, 16, 16, 32, "i8", "i8", "i32", "llvm.amdgcn.mfma.i32.16x16x32.i8", cdna(16)},
      {"v_mfma_i32_32x32x4_2b_i8", Mfma, 32, 32, 4, "i8", "i8", "i32", "llvm.amdgcn.mfma.i32.32x32x4i8", cdna(64), 2},
      {"v_mfma_i32_16x16x4_4b_i8", Mfma, 16, 16, 4, "i8", "i8", "i32", "llvm.amdgcn.mfma.i32.16x16x4i8", cdna(32), 4},
      {"v_mfma_i32_4x4x4_16b_i8", Mfma, 4, 4, 4, "i8", "i8", "i32", "llvm.amdgcn.mfma.i32.4x4x4i8", cdna(8), 16},
      {"v_mfma_f64_16x16x4_f64", Mfma, 16, 16, 4, "f64", "f64", "f64", "llvm.amdgcn.mfma.f64.16x16x4f64",
       {gfx942(32), gfx950(64)}},
      {"v_mfma_f64_4x4x4_4b_f64", Mfma, 4, 4, 4, "f64", "f64", "f64", "llvm.amdgcn.mfma.f64.4x4x4f64",
       {gfx942(16), gfx950(32)}, 4},

      // gfx950
      {"v_mfma_f32_32x32x16_f16", Mfma, 32, 32, 16, "f16", "f16", "f32", "llvm.amdgcn.mfma.f32.32x32x16.f16",
       cdna4(32)},
      {"v_mfma_f32_16x16x32_f16", Mfma, 16, 16, 32, "f16", "f16", "f32", "llvm.amdgcn.mfma.f32.16x16x32.f16",
       cdna4(16)},
      {"v_mfma_f32_32x32x16_bf16", Mfma, 32, 32, 16, "bf16", "bf16", "f32", "llvm.amdgcn.mfma.f32.32x32x16.bf16",
       cdna4(32)},
      {"v_mfma_f32_16x16x32_bf16", Mfma, 16, 16, 32, "bf16", "bf16", "f32", "llvm.amdgcn.mfma.f32.16x16x32.bf16",
       cdna4(16)},
      {"v_mfma_i32_32x32x32_i8", Mfma, 32, 32, 32, "i8", "i8", "i32", "llvm.amdgcn.mfma.i32.32x32x32.i8", cdna4(32)},
      {"v_mfma_i32_16x16x64_i8", Mfma, 16, 16, 64, "i8", "i8", "i32", "llvm.amdgcn.mfma.i32.16x16x64.i8", cdna4(16)},
      {"v_mfma_f32_32x32x64_f8f6f4", MfmaFormats, 32, 32, 64, "f8f6f4", "f8f6f4", "f32",
       "llvm.amdgcn.mfma.scale.f32.32x32x64.f8f6f4", cdna4(64)},
      {"v_mfma_f32_16x16x128_f8f6f4", MfmaFormats, 16, 16, 128, "f8f6f4", "f8f6f4", "f32",
       "llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4", cdna4(32)},
      {"v_mfma_scale_f32_32x32x64_f8f6f4", MfmaScale, 32, 32, 64, "f8f6f4", "f8f6f4", "f32",
       "llvm.amdgcn.mfma.scale.f32.32x32x64.f8f6f4", cdna4(64), 1, 32},
      {"v_mfma_scale_f32_16x16x128_f8f6f4", MfmaScale, 16, 16, 128, "f8f6f4", "f8f6f4", "f32",
       "llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4", cdna4(32), 1, 32},

      // gfx1201
      {"v_wmma_f32_16x16x16_f16", Wmma, 16, 16, 16, "f16", "f16", "f32", "llvm.amdgcn.wmma.f32.16x16x16.f16",
       rdna4(16)},
      {"v_wmma_f32_16x16x16_bf16", Wmma, 16, 16, 16, "bf16", "bf16", "f32", "llvm.amdgcn.wmma.f32.16x16x16.bf16",
       rdna4(16)},
      {"v_wmma_f16_16x16x16_f16", WmmaHalf, 16, 16, 16, "f16", "f16", "f16", "llvm.amdgcn.wmma.f16.16x16x16.f16",
       rdna4(16)},
      {"v_wmma_bf16_16x16x16_bf16", WmmaHalf, 16, 16, 16, "bf16", "bf16", "bf16",
       "llvm.amdgcn.wmma.bf16.16x16x16.bf16", rdna4(16)},
      {"v_wmma_i32_16x16x16_iu8", WmmaInteger, 16, 16, 16, "iu8", "iu8", "i32", "llvm.amdgcn.wmma.i32.16x16x16.iu8",
       rdna4(8)},
      {"v_wmma_i32_16x16x16_iu4", WmmaInteger, 16, 16, 16, "iu4", "iu4", "i32", "llvm.amdgcn.wmma.i32.16x16x16.iu4",
       rdna4(8)},
      {"v_wmma_i32_16x16x32_iu4", WmmaInteger, 16, 16, 32, "iu4", "iu4", "i32", "llvm.amdgcn.wmma.i32.16x16x32.iu4",
       rdna4(8)},

      // gfx1250
      {"v_wmma_f32_16x16x4_f32", WmmaModifiers, 16, 16, 4, "f32", "f32", "f32", "llvm.amdgcn.wmma.f32.16x16x4.f32",
       cdna5(16)},
      {"v_wmma_f32_16x16x32_f16", WmmaModifiers, 16, 16, 32, "f16", "f16", "f32", "llvm.amdgcn.wmma.f32.16x16x32.f16",
       cdna5(8)},
      {"v_wmma_f32_16x16x32_bf16", WmmaModifiers, 16, 16, 32, "bf16", "bf16", "f32",
       "llvm.amdgcn.wmma.f32.16x16x32.bf16", cdna5(8)},
      {"v_wmma_f16_16x16x32_f16", WmmaModifiers, 16, 16, 32, "f16", "f16", "f16", "llvm.amdgcn.wmma.f16.16x16x32.f16",
       cdna5(8)},
      {"v_wmma_bf16_16x16x32_bf16", WmmaModifiers, 16, 16, 32, "bf16", "bf16", "bf16",
       "llvm.amdgcn.wmma.bf16.16x16x32.bf16", cdna5(8)},
      {"v_wmma_bf16f32_16x16x32_bf16", WmmaModifiers, 16, 16, 32, "bf16", "bf16", "f32",
       "llvm.amdgcn.wmma.bf16f32.16x16x32.bf16", cdna5(8), 1, 0, "bf16"},
      {"v_wmma_i32_16x16x64_iu8", WmmaModifiersInteger, 16, 16, 64, "iu8", "iu8", "i32",
       "llvm.amdgcn.wmma.i32.16x16x64.iu8", cdna5(0)},
      {"v_wmma_f32_16x16x128_f8f6f4", WmmaFormats, 16, 16, 128, "f8f6f4", "f8f6f4", "f32",
       "llvm.amdgcn.wmma.f32.16x16x128.f8f6f4", cdna5(8)},
      {"v_wmma_scale_f32_16x16x128_f8f6f4", WmmaScale, 16, 16, 128, "f8f6f4", "f8f6f4", "f32",
       "llvm.amdgcn.wmma.scale.f32.16x16x128.f8f6f4", cdna5(8), 1, 32},
      {"v_wmma_scale16_f32_16x16x128_f8f6f4", WmmaScale, 16, 16, 128, "f8f6f4", "f8f6f4", "f32",
       "llvm.amdgcn.wmma.scale16.f32.16x16x128.f8f6f4", cdna5(8), 1, 16},
      {"v_wmma_f32_32x16x128_f4", WmmaF4, 32, 16, 128, "f4E2M1", "f4E2M1", "f32",
       "llvm.amdgcn.wmma.f32.32x16x128.f4", cdna5(8)},
      {"v_wmma_scale_f32_32x16x128_f4", WmmaScaleF4, 32, 16, 128, "f4E2M1", "f4E2M1", "f32",
       "llvm.amdgcn.wmma.scale.f32.32x16x128.f4", cdna5(8), 1, 32},
      {"v_wmma_scale16_f32_32x16x128_f4", WmmaScaleF4, 32, 16, 128, "f4E2M1", "f4E2M1", "f32",
       "llvm.amdgcn.wmma.scale16.f32.32x16x128.f4", cdna5(8), 1, 16},
  };
  // clang-format on

  // The pairs of 8-bit floats have a row each, which differ in nothing but names.
  struct Eight {
    const char *name, *intrinsic;
    MmaCall call;
    int64_t m, n, k;
    const char *c;
    Targets targets;
  };
  const Eight eights[] = {
      {"v_mfma_f32_32x32x16_", "llvm.amdgcn.mfma.f32.32x32x16.", Mfma, 32, 32, 16, "f32", cdna(32)},
      {"v_mfma_f32_16x16x32_", "llvm.amdgcn.mfma.f32.16x16x32.", Mfma, 16, 16, 32, "f32", cdna(16)},
      {"v_wmma_f32_16x16x16_", "llvm.amdgcn.wmma.f32.16x16x16.", Wmma, 16, 16, 16, "f32", rdna4(8)},
      {"v_wmma_f32_16x16x64_", "llvm.amdgcn.wmma.f32.16x16x64.", WmmaModifiersOfC, 16, 16, 64, "f32", cdna5(4)},
      {"v_wmma_f16_16x16x64_", "llvm.amdgcn.wmma.f16.16x16x64.", WmmaModifiersOfC, 16, 16, 64, "f16", cdna5(4)},
      {"v_wmma_f32_16x16x128_", "llvm.amdgcn.wmma.f32.16x16x128.", WmmaModifiersOfC, 16, 16, 128, "f32", cdna5(8)},
      {"v_wmma_f16_16x16x128_", "llvm.amdgcn.wmma.f16.16x16x128.", WmmaModifiersOfC, 16, 16, 128, "f16", cdna5(8)},
  };
  static std::vector<std::string> names; // that the rows point to
  names.reserve(std::size(eights) * 8);
  for (const Eight &x : eights)
    for (const char *a : {"fp8", "bf8"})
      for (const char *b : {"fp8", "bf8"}) {
        const char *name = names.emplace_back(std::string(x.name) + a + "_" + b).c_str();
        const char *intrinsic = names.emplace_back(std::string(x.intrinsic) + a + "." + b).c_str();
        rows.push_back({name, x.call, x.m, x.n, x.k, a, b, x.c, intrinsic, x.targets});
      }
  return rows;
}

} // namespace

const std::vector<MmaRow> &mmaRows() {
  static const std::vector<MmaRow> rows = makeRows();
  return rows;
}

} // namespace fly::atom
