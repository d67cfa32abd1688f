// Dense WMMA of gfx1201 and gfx1250: layouts against facts/mma_facts.json and facts/wmma_bits.json, results against
// products in double and in integers.
#include "tests/emulator/WmmaBench.h"

#include <cmath>

namespace fly::emulator::test {

namespace {

const char *const floats1201[] = {"v_wmma_f32_16x16x16_f16",     "v_wmma_f32_16x16x16_bf16",
                                  "v_wmma_f16_16x16x16_f16",     "v_wmma_bf16_16x16x16_bf16",
                                  "v_wmma_f32_16x16x16_fp8_fp8", "v_wmma_f32_16x16x16_fp8_bf8",
                                  "v_wmma_f32_16x16x16_bf8_fp8", "v_wmma_f32_16x16x16_bf8_bf8"};
const char *const integers1201[] = {"v_wmma_i32_16x16x16_iu8", "v_wmma_i32_16x16x16_iu4", "v_wmma_i32_16x16x32_iu4"};
const char *const floats1250[] = {
    "v_wmma_f32_16x16x4_f32",       "v_wmma_f32_16x16x32_f16",      "v_wmma_f16_16x16x32_f16",
    "v_wmma_f32_16x16x32_bf16",     "v_wmma_bf16_16x16x32_bf16",    "v_wmma_bf16f32_16x16x32_bf16",
    "v_wmma_f32_16x16x64_fp8_fp8",  "v_wmma_f32_16x16x64_fp8_bf8",  "v_wmma_f32_16x16x64_bf8_fp8",
    "v_wmma_f32_16x16x64_bf8_bf8",  "v_wmma_f16_16x16x64_fp8_fp8",  "v_wmma_f16_16x16x64_fp8_bf8",
    "v_wmma_f16_16x16x64_bf8_fp8",  "v_wmma_f16_16x16x64_bf8_bf8",  "v_wmma_f32_16x16x128_fp8_fp8",
    "v_wmma_f32_16x16x128_fp8_bf8", "v_wmma_f32_16x16x128_bf8_fp8", "v_wmma_f32_16x16x128_bf8_bf8",
    "v_wmma_f16_16x16x128_fp8_fp8", "v_wmma_f16_16x16x128_fp8_bf8", "v_wmma_f16_16x16x128_bf8_fp8",
    "v_wmma_f16_16x16x128_bf8_bf8"};

/// Everything that multiplies floats without scales, on each machine and wave size.
template <class F> void forFloats(F check) {
  for (unsigned wave : {32u, 64u}) {
    StepBench bench("gfx1201", {.waveSize = wave});
    for (const char *name : floats1201) check(bench, wmmaTest("gfx1201", wave, name));
  }
  StepBench bench("gfx1250");
  for (const char *name : floats1250) check(bench, wmmaTest("gfx1250", 32, name));
}
template <class F> void forIntegers(F check) {
  for (unsigned wave : {32u, 64u}) {
    StepBench bench("gfx1201", {.waveSize = wave});
    for (const char *name : integers1201) {
      WmmaTest t = wmmaTest("gfx1201", wave, name);
      // Eight elements a lane fill 32 lanes; the lanes above are not read.
      if (wave == 64 && t.k == 16 && t.a == Type::U4) t.layoutA = t.layoutB = plainBits(16, 32);
      check(bench, t);
    }
  }
  StepBench bench("gfx1250");
  check(bench, wmmaTest("gfx1250", 32, "v_wmma_i32_16x16x64_iu8"));
}

} // namespace

TEST(Wmma, ProductsOfSmallIntegersAreExact) {
  forFloats([](StepBench &bench, WmmaTest t) {
    t.run(bench, "facts", 1);
    t.run(bench, "facts", 2);
  });
}

TEST(Wmma, ProductsOfAnyNumbersAreWithinTheBoundOfTheirAccumulation) {
  forFloats([](StepBench &bench, WmmaTest t) {
    t.any = true;
    for (unsigned seed : {3, 4, 5}) t.run(bench, "float64", seed);
  });
}

// LLVM decodes gfx1201's shapes for gfx1250 too; its documents do not list them.
TEST(Wmma, ShapesOfGfx1201OnGfx1250) {
  StepBench bench("gfx1250");
  for (const char *name : floats1201) wmmaTest("gfx1250", 32, name).run(bench, "document", 60);
  for (const char *name : integers1201) wmmaTest("gfx1250", 32, name).run(bench, "document", 61);
}

TEST(Wmma, NegatesEvenAndOddElementsAndChangesTheSignOfC) {
  forFloats([](StepBench &bench, WmmaTest t) {
    const bool small = widthOf(t.a) == 8; // no modifiers of A and B
    for (unsigned choice = 0; choice < 4; ++choice) {
      const bool low = choice & 1, high = choice & 2;
      t.negateC = low;
      t.absoluteC = high;
      t.negateA[0] = t.negateB[1] = low && !small;
      t.negateA[1] = t.negateB[0] = high && !small;
      std::string lows = small ? "0,0," : std::string(low ? "1," : "0,") + (high ? "1," : "0,");
      std::string highs = small ? "0,0," : std::string(high ? "1," : "0,") + (low ? "1," : "0,");
      if (widthOf(t.a) == 32) { // f32 has no halves: neg_lo alone
        t.negateA[0] = t.negateB[0] = low;
        lows = low ? "1,1," : "0,0,", highs = "0,0,";
      }
      t.modifiers = "neg_lo:[" + lows + (low ? "1]" : "0]") + " neg_hi:[" + highs + (high ? "1]" : "0]");
      t.run(bench, "document", 6 + choice);
    }
  });
}

TEST(Wmma, AddsAConstant) {
  forFloats([](StepBench &bench, WmmaTest t) {
    t.constantC = "-4.0";
    t.constantCValue = -4;
    t.run(bench, "document", 7);
  });
  forIntegers([](StepBench &bench, WmmaTest t) {
    t.constantC = "-7";
    t.constantCValue = -7;
    t.run(bench, "document", 7);
  });
}

TEST(Wmma, IntegersAreSignedOrNotAsNegLoSaysAndWrapOrSaturate) {
  forIntegers([](StepBench &bench, WmmaTest t) { t.runEverySign(bench, "facts", 20); });
}

TEST(Wmma, SixteenBitResultsAreRoundedOnce) {
  forFloats([](StepBench &bench, WmmaTest t) {
    if (widthOf(t.d) != 16 || widthOf(t.a) != 16) return;
    if (t.arch == "gfx1201" && t.d == Type::Bf16) return; // cuts off: MatrixNumericsTest.cpp
    // One product of 2^e (1 + u) with u the last bit, plus C of one half of the sum's last bit: ties to even.
    const unsigned mantissa = t.d == Type::F16 ? 10 : 7;
    for (unsigned r = 0; r < 128; ++r) bench.splat(r, 0);
    const uint32_t one = roundTo(t.a, 1.0), odd = roundTo(t.a, 1 + std::ldexp(1, -static_cast<int>(mantissa)));
    for (unsigned l = 0; l < t.lanes; ++l) { // row and column l % 16, k 0: A is 1 or the next above, B is 1
      if (l < 16) bench.vgpr(32, l) = l % 2 ? odd : one;
      if (l < 16) bench.vgpr(64, l) = one;
      const double half = std::ldexp(1, -static_cast<int>(mantissa) - 1);
      for (unsigned s = 0; s < 256 / t.lanes; ++s) {
        if (t.c == Type::F32) bench.vgpr(16 + s, l) = std::bit_cast<uint32_t>(static_cast<float>(half));
        else bench.vgpr(16 + s / 2, l) |= roundTo(t.c, half) << 16 * (s % 2);
      }
    }
    const unsigned halves = 128 / t.lanes, full = 2 * halves, inputs = 16 * t.k / 2 / t.lanes;
    auto range = [](unsigned at, unsigned count) {
      return "v[" + std::to_string(at) + ":" + std::to_string(at + count - 1) + "]";
    };
    ASSERT_TRUE(bench.run(t.name + " " + range(0, halves) + ", " + range(32, inputs) + ", " + range(64, inputs) + ", " +
                          range(16, t.c == Type::F32 ? full : halves)))
        << bench.error();
    for (unsigned i = 0; i < 16; ++i) {
      Bits::At at = t.layoutD.at(i);
      uint32_t got = bench.vgpr(at.slot / 2, 16 * at.group) >> 16 * (at.slot % 2) & 0xffff;
      // 1 + half: to 1. 1 + u + half: to 1 + 2u.
      double want = i % 2 ? 1 + std::ldexp(2, -static_cast<int>(mantissa)) : 1;
      EXPECT_EQ(valueOf(t.d, got), want) << t.name << " row " << i;
    }
  });
}

TEST(Wmma, SixteenBitResultsSaturateWithFp16Ovfl) {
  StepBench bench("gfx1250");
  for (bool set : {false, true}) {
    bench.setMode((bench.mode() & ~(1u << 23)) | (set ? 1u << 23 : 0));
    for (auto [name, type, one, large] : {std::tuple("v_wmma_f16_16x16x32_f16", Type::F16, 0x3c00u, 0x7bffu),
                                          std::tuple("v_wmma_bf16_16x16x32_bf16", Type::Bf16, 0x3f80u, 0x7f7fu)})
      for (uint32_t sign : {0u, 0x8000u}) {
        for (unsigned r = 0; r < 128; ++r) bench.splat(r, 0);
        for (unsigned r = 32; r < 40; ++r) bench.splat(r, (large | sign) << 16 | large | sign);
        for (unsigned r = 64; r < 72; ++r) bench.splat(r, one << 16 | one);
        ASSERT_TRUE(bench.run(std::string(name) + " v[0:3], v[32:39], v[64:71], v[16:19]")) << bench.error();
        const uint32_t infinity = type == Type::F16 ? 0x7c00u : 0x7f80u;
        EXPECT_EQ(bench.vgpr(2, 7) & 0xffff, sign | (set ? large : infinity)) << name;
        bench.splat(32, infinity | sign); // an infinite factor
        ASSERT_TRUE(bench.run(std::string(name) + " v[0:3], v[32:39], v[64:71], v[16:19]")) << bench.error();
        EXPECT_EQ(bench.vgpr(2, 7) & 0xffff, sign | (set ? large : infinity)) << name;
      }
  }
}

TEST(Wmma, EveryLaneTakesPartWhateverExecSays) {
  forFloats([](StepBench &bench, WmmaTest t) {
    bench.setExec(1);
    t.run(bench, "document", 9);
    bench.setExec(bench.laneMask());
  });
}

TEST(Wmma, ElementsLieWhereTheMatrixInstructionCalculatorSays) {
  StepBench bench("gfx1201");
  unsigned checked = 0;
  for (const auto &[key, value] : *facts("mma_facts.json").getAsObject()) {
    const llvm::json::Object &o = *value.getAsObject();
    if (o.getString("arch") != llvm::StringRef("gfx1201") || !o.getArray("A")) continue;
    SCOPED_TRACE(key.str());
    WmmaTest t = wmmaTest("gfx1201", 32, o.getString("instruction")->str());
    const bool integer = t.d == Type::I32;
    // A[i][k] = i + 1 where k is i % K, B[k][j] = 2^(k / 4) where k % 4 is j % 4: small and each place its own.
    auto valueA = [&](unsigned i, unsigned k) { return i % t.k == k ? static_cast<int>(i % 7 + 1) : 0; };
    auto valueB = [&](unsigned k, unsigned j) { return static_cast<int>((k + j) % 3) - (integer ? 0 : 1); };
    for (unsigned r = 0; r < 128; ++r) bench.splat(r, 0);
    auto place = [&](const char *which, unsigned reg, Type type, auto number) {
      const llvm::json::Array &lanes = *o.getArray(which);
      for (unsigned l = 0; l < lanes.size(); ++l) {
        const llvm::json::Array &elements = *lanes[l].getAsArray();
        for (unsigned v = 0; v < elements.size(); ++v) {
          const llvm::json::Array &at = *elements[v].getAsArray();
          uint32_t code = codeOf(
              type, number(static_cast<unsigned>(*at[0].getAsInteger()), static_cast<unsigned>(*at[1].getAsInteger())));
          bench.vgpr(reg + v * widthOf(type) / 32, l) |= code << v * widthOf(type) % 32;
        }
      }
    };
    place("A", 32, t.a, valueA);
    place("B", 64, t.b, valueB);
    const unsigned inputs = 16 * t.k * widthOf(t.a) / 32 / 32, results = 8 * widthOf(t.d) / 32;
    auto range = [](unsigned at, unsigned count) {
      return "v[" + std::to_string(at) + ":" + std::to_string(at + count - 1) + "]";
    };
    ASSERT_TRUE(
        bench.run(t.name + " " + range(0, results) + ", " + range(32, inputs) + ", " + range(64, inputs) + ", 0"))
        << bench.error();
    const llvm::json::Array &lanes = *o.getArray("D");
    for (unsigned l = 0; l < lanes.size(); ++l)
      for (unsigned v = 0; v < lanes[l].getAsArray()->size(); ++v) {
        const llvm::json::Array &at = *(*lanes[l].getAsArray())[v].getAsArray();
        unsigned i = static_cast<unsigned>(*at[0].getAsInteger()), j = static_cast<unsigned>(*at[1].getAsInteger());
        int want = 0;
        for (unsigned k = 0; k < t.k; ++k) want += valueA(i, k) * valueB(k, j);
        uint32_t got = bench.vgpr(v * widthOf(t.d) / 32, l) >> v * widthOf(t.d) % 32;
        if (widthOf(t.d) == 16) got &= 0xffff;
        EXPECT_EQ(valueOf(t.d, got), want) << "lane " << l << ", element " << v;
      }
    recordSource("gfx1201",
                 isa::name(bench
                               .instruction(bench.add(t.name + " " + range(0, results) + ", " + range(32, inputs) +
                                                      ", " + range(64, inputs) + ", 0"))
                               .op),
                 "facts");
    ++checked;
  }
  EXPECT_EQ(checked, 5u);
}

} // namespace fly::emulator::test
