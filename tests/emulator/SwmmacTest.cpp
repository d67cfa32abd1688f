// Sparse WMMA: the product with A spread out as its index says, layouts from facts/wmma_bits.json.
#include "tests/emulator/WmmaBench.h"

namespace fly::emulator::test {

namespace {

struct Row {
  const char *name;
  const char *arch;
  unsigned waves; ///< 32, 64 or both added
};
const Row rows[] = {
    {"v_swmmac_f32_16x16x32_f16", "gfx1201", 96},      {"v_swmmac_f32_16x16x32_bf16", "gfx1201", 96},
    {"v_swmmac_f16_16x16x32_f16", "gfx1201", 96},      {"v_swmmac_bf16_16x16x32_bf16", "gfx1201", 96},
    {"v_swmmac_f32_16x16x32_fp8_fp8", "gfx1201", 96},  {"v_swmmac_f32_16x16x32_fp8_bf8", "gfx1201", 96},
    {"v_swmmac_f32_16x16x32_bf8_fp8", "gfx1201", 96},  {"v_swmmac_f32_16x16x32_bf8_bf8", "gfx1201", 96},
    {"v_swmmac_i32_16x16x32_iu8", "gfx1201", 96},      {"v_swmmac_i32_16x16x32_iu4", "gfx1201", 32},
    {"v_swmmac_i32_16x16x64_iu4", "gfx1201", 32},      {"v_swmmac_f32_16x16x64_f16", "gfx1250", 32},
    {"v_swmmac_f32_16x16x64_bf16", "gfx1250", 32},     {"v_swmmac_f16_16x16x64_f16", "gfx1250", 32},
    {"v_swmmac_bf16_16x16x64_bf16", "gfx1250", 32},    {"v_swmmac_bf16f32_16x16x64_bf16", "gfx1250", 32},
    {"v_swmmac_i32_16x16x128_iu8", "gfx1250", 32},     {"v_swmmac_f32_16x16x128_fp8_fp8", "gfx1250", 32},
    {"v_swmmac_f32_16x16x128_fp8_bf8", "gfx1250", 32}, {"v_swmmac_f32_16x16x128_bf8_fp8", "gfx1250", 32},
    {"v_swmmac_f32_16x16x128_bf8_bf8", "gfx1250", 32}, {"v_swmmac_f16_16x16x128_fp8_fp8", "gfx1250", 32},
    {"v_swmmac_f16_16x16x128_fp8_bf8", "gfx1250", 32}, {"v_swmmac_f16_16x16x128_bf8_fp8", "gfx1250", 32},
    {"v_swmmac_f16_16x16x128_bf8_bf8", "gfx1250", 32}};

/// Puts the published layouts of A, B and the index into `t`.
void layOut(WmmaTest &t) {
  for (const llvm::json::Value &v : *facts("wmma_bits.json").getAsObject()->getArray("sparse")) {
    const llvm::json::Object &o = *v.getAsObject();
    if (o.getString("arch") != llvm::StringRef(t.arch) || o.getInteger("wave") != t.lanes || o.getInteger("K") != t.k ||
        o.getInteger("bits") != widthOf(t.a))
      continue;
    t.layoutA = bitsFrom(*o.getObject("A"));
    t.layoutB = bitsFrom(*o.getObject("B"));
    t.layoutIndex = bitsFrom(*o.getObject("index"), "entry");
    return;
  }
  ADD_FAILURE() << "no layout of " << t.name << " in wave" << t.lanes;
}

template <class F> void forEach(F check) {
  for (const auto &[arch, wave] : {std::pair("gfx1201", 32u), {"gfx1201", 64u}, {"gfx1250", 32u}}) {
    StepBench bench(arch, {.waveSize = wave});
    for (const Row &row : rows) {
      if (std::string(row.arch) != arch || !(row.waves & wave)) continue;
      WmmaTest t = wmmaTest(arch, wave, row.name);
      layOut(t);
      check(bench, t);
    }
  }
}
/// Bits of index that a lane needs.
unsigned indexBits(const WmmaTest &t) { return 2 * t.m * t.k / 2 / t.lanes; }

} // namespace

TEST(Swmmac, MultipliesWhatTheIndexSelects) {
  forEach([](StepBench &bench, WmmaTest t) {
    for (unsigned seed : {1, 2}) t.run(bench, "facts", seed);
    if (t.d == Type::I32) return;
    t.any = true;
    for (unsigned seed : {3, 4}) t.run(bench, "float64", seed);
  });
}

TEST(Swmmac, IndexKeySelectsAPartOfTheIndexRegister) {
  forEach([](StepBench &bench, WmmaTest t) {
    for (unsigned key = 1; key < 32 / indexBits(t); ++key) {
      t.indexBit = key * indexBits(t);
      t.modifiers = "index_key:" + std::to_string(key);
      t.run(bench, "document", 10 + key);
    }
  });
}

TEST(Swmmac, NegatesEvenAndOddElements) {
  forEach([](StepBench &bench, WmmaTest t) {
    if (widthOf(t.a) != 16) return;
    t.negateA[0] = t.negateB[1] = true;
    t.modifiers = "neg_lo:[1,0,0] neg_hi:[0,1,0]";
    t.run(bench, "document", 20);
  });
}

TEST(Swmmac, IntegersAreSignedOrNotAsNegLoSaysAndWrapOrSaturate) {
  forEach([](StepBench &bench, WmmaTest t) {
    if (t.d != Type::I32) return;
    t.runEverySign(bench, "facts", 30);
  });
}

// LLVM decodes gfx1201's shapes for gfx1250 too; its documents do not list them.
TEST(Swmmac, ShapesOfGfx1201OnGfx1250) {
  StepBench bench("gfx1250");
  for (const Row &row : rows) {
    if (std::string(row.arch) != "gfx1201") continue;
    WmmaTest t = wmmaTest("gfx1201", 32, row.name);
    layOut(t);
    t.arch = "gfx1250";
    t.run(bench, "document", 60);
  }
}

// No public layout: the reading of runtime/emulator/ops/matrix/Wmma.cpp. With 32 k's A fills 32 lanes, and B's second
// register of a wave32 is the upper half of the wave; with 64 all have their places as in wave32.
TEST(Swmmac, FourBitElementsInWave64) {
  StepBench bench("gfx1201", {.waveSize = 64});
  for (bool wide : {false, true}) {
    WmmaTest t = wmmaTest("gfx1201", 64, wide ? "v_swmmac_i32_16x16x64_iu4" : "v_swmmac_i32_16x16x32_iu4");
    if (wide) {
      t.layoutA = {{3, 4}, {0, 1, 2}};
      t.layoutB = {{4, 5}, {0, 1, 2, 3}};
    } else {
      t.layoutA = {{3}, {0, 1, 2}};
      t.layoutB = {{4, 3}, {0, 1, 2}};
    }
    t.layoutIndex = t.layoutA;
    for (unsigned key : {0, 1}) {
      t.indexBit = 16 * key;
      t.modifiers = key ? "index_key:1" : "";
      t.run(bench, "document", 50 + key);
    }
  }
}

} // namespace fly::emulator::test
