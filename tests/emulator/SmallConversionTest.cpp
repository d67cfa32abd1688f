// Conversions to and from formats below 16 bits, instruction by instruction, against the formats' definitions
// (TinyReference.h): values, placement in bytes and halves, what stays of the destination, saturation, scales.
//
// "manual": on gfx1250 these are the expectations of AMD's manual of CDNA5 (7.6 and the instructions' texts in 15.8 and
// 15.14), while the emulator follows LLVM's and MLIR's tests. "document": the emulator follows the manual itself.
//
// The registers of every case: results from v100 on, Src0 from v0, Src1 from v32, random numbers v64, scales v65.
#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/StepBench.h"
#include "tests/emulator/TinyReference.h"

#include "runtime/emulator/formats/SmallFloat.h"

#include <bit>
#include <gtest/gtest.h>
#include <random>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

enum class Type { F32, F16, BF16 };
unsigned mantissaBits(Type t) { return t == Type::F32 ? 23 : t == Type::F16 ? 10 : 7; }
const char *suffix(Type t) { return t == Type::F32 ? "f32" : t == Type::F16 ? "f16" : "bf16"; }
long double wideValue(Type t, uint32_t bits) {
  if (t == Type::F32) return std::bit_cast<float>(bits);
  if (t == Type::BF16) return std::bit_cast<float>(bits << 16);
  return decodeReference(halfIs, bits & 0xffff);
}

std::string range(unsigned first, unsigned count) {
  return count == 1 ? "v" + std::to_string(first)
                    : "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

/// Bits of random values of which many lie within the small formats, and some are special.
uint32_t someBits(Type t, std::mt19937_64 &random, int center) {
  static const float special[] = {0.0f,  -0.0f, INFINITY, -INFINITY, NAN,   1e-40f, -3e-39f, 448, 464, 480,  57344,
                                  61440, 240,   248,      65504,     1e30f, 6,      7,       28,  30,  7.5f, 7.75f};
  unsigned kind = unsigned(random() % 10);
  float f;
  if (kind == 0) f = special[random() % std::size(special)];
  else if (kind == 1) f = std::bit_cast<float>(uint32_t(random()));
  else {
    f = std::ldexp(float(random() % 4096 + 2048) / 2048.0f, int(random() % 24) - 12 + center); // many ties
    if (kind == 2) f = std::nextafter(f, 0.0f);
    if (random() & 1) f = -f;
  }
  if (t == Type::F32) return std::bit_cast<uint32_t>(f);
  if (t == Type::BF16) return floatToBfloat(f);
  return floatToHalf(f);
}

struct Fixture {
  StepBench bench;
  std::mt19937_64 random{99};
  explicit Fixture(const char *arch) : bench(arch) {}
  /// Everything random; scales powers of two around one unless `scales` is false.
  void fill(Type t, int center = 0) {
    for (unsigned r = 0; r < 140; ++r)
      for (unsigned l = 0; l < bench.lanes(); ++l) {
        uint32_t v = someBits(t, random, center);
        if (t != Type::F32) v |= someBits(t, random, center) << 16;
        if (r >= 64) v = uint32_t(random());
        if (r == 65) v = (v & 0x807fffff) | uint32_t(random() % 16 == 0 ? random() & 255 : 119 + random() % 16) << 23;
        bench.vgpr(r, l) = v;
      }
  }
  uint32_t bitsAt(unsigned r, unsigned lane, unsigned bit, unsigned width) {
    uint64_t both = bench.vgpr(r + bit / 32, lane) | uint64_t(bench.vgpr(r + bit / 32 + 1, lane)) << 32;
    return uint32_t(both >> bit % 32) & ((1u << width) - 1);
  }
};

long double scaleOf(uint32_t bits) {
  unsigned e = bits >> 23 & 255;
  return e == 255 ? (long double)NAN : std::ldexp(1.0L, int(e) - 127);
}
uint32_t lfsr(uint32_t v) { return (v << 1) ^ (v & 0x80000000 ? 0xc5 : 0); }

//===--------------------------------------------------------------------------------------------------------===//
// Narrowing
//===--------------------------------------------------------------------------------------------------------===//

enum class Sources { Two, Block, Turns };
struct Narrow {
  std::string op, operands; ///< after the destination
  const Expectation &to;
  Type from;
  unsigned count;
  Sources sources;
  unsigned registers; ///< of the destination
  int shift;          ///< of the field in one register; -1: whole registers
  bool stochastic = false, scaled = true;
  std::string modifiers = {}, half = {};
  bool negativeNan = false;
};

void check(Fixture &f, const Narrow &n, const char *source) {
  std::string text = n.op + " " + range(100, n.registers) + n.half + ", " + n.operands + n.modifiers;
  SCOPED_TRACE(f.bench.arch + ": " + text);
  int number = f.bench.add(text);
  ASSERT_GE(number, 0) << f.bench.error();
  const unsigned width = n.to.signBit ? unsigned(std::countr_zero(n.to.signBit)) + 1 : 8;
  const unsigned perWord = n.from == Type::F32 ? 1 : 2;
  // CDNA5's manual: what infinities become with FP16_OVFL (7.6.2), and a random number for two elements (15.14).
  const bool cdna5 = f.bench.arch == "gfx1250", pairs = cdna5 && n.count > 1;
  for (int round = 0; round < 24; ++round) {
    const bool saturate = round & 1;
    f.bench.setMode(0x3f0u | (saturate ? 1u << 23 : 0));
    f.fill(n.from, round % 3 == 0 && n.scaled ? 4 : 0);
    std::vector<uint32_t> before(64 * 8);
    for (unsigned r = 0; r < n.registers; ++r)
      for (unsigned l = 0; l < f.bench.lanes(); ++l) before[r * 64 + l] = f.bench.vgpr(100 + r, l);
    const uint64_t exec = round == 5 ? 0x5a5a5a5a5a5a5a5aull & f.bench.laneMask() : f.bench.laneMask();
    f.bench.setExec(exec);
    ASSERT_TRUE(f.bench.step(number)) << f.bench.error();
    for (unsigned l = 0; l < f.bench.lanes(); ++l) {
      uint32_t random = f.bench.vgpr(64, l);
      if (!(exec >> l & 1)) {
        ASSERT_EQ(f.bench.vgpr(100, l), before[l]);
        continue;
      }
      for (unsigned k = 0; k < n.count; ++k) {
        unsigned source = n.sources == Sources::Block ? 0 : (k & 1) * 32, at = n.sources == Sources::Block ? k : k / 2;
        uint32_t bits = f.bench.vgpr(source + at / perWord, l) >> (perWord == 2 ? 16 * (at & 1) : 0);
        long double v = wideValue(n.from, perWord == 2 ? bits & 0xffff : bits);
        if (n.scaled) {
          long double s = scaleOf(f.bench.vgpr(65, l));
          v = std::isnan(s) ? std::copysign(s, v) : v / s;
        }
        if (n.negativeNan && std::isnan(v)) v = -std::fabs(v);
        if (cdna5 && saturate && width <= 8 && std::isinf(v))
          v = std::copysign(n.scaled ? (long double)NAN : n.to.largest, v);
        const uint32_t part = !pairs ? random : k & 1 ? random & 0xffff0000u : random << 16;
        unsigned want = n.stochastic ? encodeStochasticReference(n.to, v, mantissaBits(n.from), part, saturate)
                                     : encodeReference(n.to, v, saturate);
        unsigned got = f.bitsAt(100, l, unsigned(std::max(n.shift, 0)) + k * width, width);
        ASSERT_EQ(got, want) << "element " << k << " lane " << l << " value " << (double)v << " bits " << std::hex
                             << bits << " random " << random << " scale " << f.bench.vgpr(65, l)
                             << (saturate ? " saturating" : "");
        if (!pairs || k & 1) random = lfsr(random);
      }
      if (n.shift >= 0) {
        const uint32_t field = uint32_t(((1ull << n.count * width) - 1) << n.shift);
        ASSERT_EQ(f.bench.vgpr(100, l) & ~field, before[l] & ~field) << "bits outside of the result";
      }
    }
  }
  f.bench.setExec(f.bench.laneMask());
  recordSource(f.bench.arch, fly::isa::name(f.bench.instruction(number).op), source);
}

const Expectation &fp8Of(const std::string &arch, bool bf) {
  if (arch == "gfx942") return bf ? bf8FnuzIs : fp8FnuzIs;
  return bf ? bf8Is : fp8Is;
}

TEST(SmallConversion, NarrowingToBytesWithoutScale) {
  for (const char *arch : {"gfx942", "gfx950", "gfx1201", "gfx1250"}) {
    Fixture f(arch);
    const bool gfx12 = isGfx12(f.bench.row), canonical = std::string(arch) == "gfx1201";
    for (bool bf : {false, true}) {
      const std::string name = bf ? "bf8" : "fp8";
      const Expectation &to = fp8Of(arch, bf);
      for (int high : {0, 1}) {
        std::string modifiers = high ? " op_sel:[0,0,1]" : "";
        check(f,
              {"v_cvt_pk_" + name + "_f32", "v0, v32", to, Type::F32, 2, Sources::Two, 1, 16 * high, false, false,
               modifiers, "", canonical},
              "host");
      }
      for (int byte = 0; byte < 4; ++byte) {
        std::string modifiers =
            gfx12 ? " byte_sel:" + std::to_string(byte)
                  : " op_sel:[0,0," + std::to_string(byte & 1) + "," + std::to_string(byte >> 1) + "]";
        check(f,
              {"v_cvt_sr_" + name + "_f32", "v0, v64", to, Type::F32, 1, Sources::Block, 1, 8 * byte, true, false,
               modifiers, "", canonical},
              "host");
        if (std::string(arch) == "gfx1250")
          check(f,
                {"v_cvt_sr_" + name + "_f16", "v0, v64", to, Type::F16, 1, Sources::Block, 1, 8 * byte, true, false,
                 modifiers},
                "manual");
      }
      if (std::string(arch) == "gfx1250")
        for (int high : {0, 1}) {
          std::string modifiers = high ? " op_sel:[0,1]" : "";
          check(f,
                {"v_cvt_pk_" + name + "_f16", "v0", to, Type::F16, 2, Sources::Block, 1, 16 * high, false, false,
                 modifiers},
                "manual");
        }
    }
    if (std::string(arch) == "gfx950")
      for (int high : {0, 1}) {
        std::string modifiers = high ? " op_sel:[0,0,1]" : "";
        check(
            f,
            {"v_cvt_sr_f16_f32", "v0, v64", halfIs, Type::F32, 1, Sources::Block, 1, 16 * high, true, false, modifiers},
            "host");
        check(f,
              {"v_cvt_sr_bf16_f32", "v0, v64", bfloatIs, Type::F32, 1, Sources::Block, 1, 16 * high, true, false,
               modifiers},
              "host");
      }
    if (std::string(arch) == "gfx1250") {
      check(f, {"v_cvt_sr_pk_f16_f32", "v0, v32, v64", halfIs, Type::F32, 2, Sources::Two, 1, 0, true, false},
            "document");
      check(f, {"v_cvt_sr_pk_bf16_f32", "v0, v32, v64", bfloatIs, Type::F32, 2, Sources::Two, 1, 0, true, false},
            "document");
      // clamp means the unsigned format with five exponent bits
      check(f, {"v_cvt_pk_fp8_f32", "v0, v32", ufp8Is, Type::F32, 2, Sources::Two, 1, 0, false, false, " clamp"},
            "manual");
      check(f,
            {"v_cvt_sr_fp8_f32", "v0, v64", ufp8Is, Type::F32, 1, Sources::Block, 1, 16, true, false,
             " byte_sel:2 clamp"},
            "manual");
    }
  }
}

TEST(SmallConversion, NarrowingWithScaleOnGfx950) {
  Fixture f("gfx950");
  auto opSel = [](unsigned select) {
    return " op_sel:[0,0," + std::to_string(select & 1) + "," + std::to_string(select >> 1) + "]";
  };
  for (const Expectation *to : {&fp8Is, &bf8Is}) {
    const std::string name = to->name;
    for (unsigned high : {0u, 1u}) {
      check(f,
            {"v_cvt_scalef32_pk_" + name + "_f32", "v0, v32, v65", *to, Type::F32, 2, Sources::Two, 1, int(16 * high),
             false, true, high ? " op_sel:[0,0,0,1]" : ""},
            "host");
      for (Type t : {Type::F16, Type::BF16})
        check(f,
              {"v_cvt_scalef32_pk_" + name + "_" + suffix(t), "v0, v65", *to, t, 2, Sources::Block, 1, int(16 * high),
               false, true, high ? " op_sel:[0,0,1]" : ""},
              "host");
    }
    for (unsigned byte = 0; byte < 4; ++byte)
      for (Type t : {Type::F32, Type::F16, Type::BF16})
        check(f,
              {"v_cvt_scalef32_sr_" + name + "_" + suffix(t), "v0, v64, v65", *to, t, 1, Sources::Block, 1,
               int(8 * byte), true, true, opSel(byte)},
              "host");
  }
  for (unsigned byte = 0; byte < 4; ++byte) {
    check(f,
          {"v_cvt_scalef32_pk_fp4_f32", "v0, v32, v65", fp4Is, Type::F32, 2, Sources::Two, 1, int(8 * byte), false,
           true, opSel(byte)},
          "host");
    check(f,
          {"v_cvt_scalef32_sr_pk_fp4_f32", "v[0:1], v64, v65", fp4Is, Type::F32, 2, Sources::Block, 1, int(8 * byte),
           true, true, opSel(byte)},
          "host");
    for (Type t : {Type::F16, Type::BF16}) {
      check(f,
            {std::string("v_cvt_scalef32_pk_fp4_") + suffix(t), "v0, v65", fp4Is, t, 2, Sources::Block, 1,
             int(8 * byte), false, true, opSel(byte)},
            "host");
      check(f,
            {std::string("v_cvt_scalef32_sr_pk_fp4_") + suffix(t), "v0, v64, v65", fp4Is, t, 2, Sources::Block, 1,
             int(8 * byte), true, true, opSel(byte)},
            "host");
    }
  }
  for (const Expectation *to : {&fp6Is, &bf6Is}) {
    const std::string name = to->name;
    check(
        f,
        {"v_cvt_scalef32_2xpk16_" + name + "_f32", "v[0:15], v[32:47], v65", *to, Type::F32, 32, Sources::Turns, 6, -1},
        "host");
    check(f,
          {"v_cvt_scalef32_sr_pk32_" + name + "_f32", "v[0:31], v64, v65", *to, Type::F32, 32, Sources::Block, 6, -1,
           true},
          "host");
    for (Type t : {Type::F16, Type::BF16}) {
      check(f, {"v_cvt_scalef32_pk32_" + name + "_" + suffix(t), "v[0:15], v65", *to, t, 32, Sources::Block, 6, -1},
            "host");
      check(f,
            {"v_cvt_scalef32_sr_pk32_" + name + "_" + suffix(t), "v[0:15], v64, v65", *to, t, 32, Sources::Block, 6, -1,
             true},
            "host");
    }
  }
}

TEST(SmallConversion, NarrowingWithScaleOnGfx1250) {
  Fixture f("gfx1250");
  for (Type t : {Type::F32, Type::F16, Type::BF16}) {
    for (const Expectation *to : {&fp8Is, &bf8Is, &fp4Is, &fp6Is, &bf6Is}) {
      const bool six = to == &fp6Is || to == &bf6Is;
      const unsigned count = six ? 16 : 8, registers = six ? 3 : to == &fp4Is ? 1 : 2;
      const std::string pk = six ? "pk16_" : "pk8_", name = to->name,
                        block = range(0, t == Type::F32 ? count : count / 2);
      check(f,
            {"v_cvt_scalef32_" + pk + name + "_" + suffix(t), block + ", v65", *to, t, count, Sources::Block, registers,
             -1},
            "manual");
      check(f,
            {"v_cvt_scalef32_sr_" + pk + name + "_" + suffix(t), block + ", v64, v65", *to, t, count, Sources::Block,
             registers, -1, true},
            "document");
    }
  }
}

//===--------------------------------------------------------------------------------------------------------===//
// Widening
//===--------------------------------------------------------------------------------------------------------===//

/// A value rounded to the wide type, by the host.
uint32_t roundTo(Type t, long double v) {
  if (t == Type::F32) return std::bit_cast<uint32_t>(float(v));
  return encodeReference(t == Type::F16 ? halfIs : bfloatIs, v, false);
}
bool same(Type t, uint32_t got, uint32_t want) {
  long double g = wideValue(t, got), w = wideValue(t, want);
  return std::isnan(w) ? std::isnan(g) && std::signbit(g) == std::signbit(w) : got == want;
}

struct Widen {
  std::string op, operands;
  const Expectation &from;
  Type to;
  unsigned count, shift; ///< where the elements begin in Src0
  int half = -1;         ///< a single 16-bit result: the half it goes to
  std::string modifiers = {};
  bool scaled = true;
  int scaleSel = -1; ///< gfx1250's packed scales
  std::string sourceHalf = {};
};

void check(Fixture &f, const Widen &n, const char *source) {
  const unsigned registers = n.to == Type::F32 ? n.count : (n.count + 1) / 2, perWord = n.to == Type::F32 ? 1 : 2;
  std::string text = n.op + " " + range(100, registers) + ", " + n.operands + n.modifiers;
  SCOPED_TRACE(f.bench.arch + ": " + text);
  int number = f.bench.add(text);
  ASSERT_GE(number, 0) << f.bench.error();
  const unsigned width = n.from.signBit ? unsigned(std::countr_zero(n.from.signBit)) + 1 : 8;
  f.bench.setMode(0x3f0);
  for (int round = 0; round < 12; ++round) {
    f.fill(Type::F32);
    for (unsigned r = 0; r < 8; ++r)
      for (unsigned l = 0; l < f.bench.lanes(); ++l) f.bench.vgpr(r, l) = uint32_t(f.random()); // all codes
    if (n.scaleSel >= 0)
      for (unsigned l = 0; l < f.bench.lanes(); ++l) {
        uint32_t &s = f.bench.vgpr(65, l);
        s = 0;
        for (unsigned b = 0; b < 4; ++b)
          s |= uint32_t(f.random() % 32 == 0 ? f.random() & 255 : 120 + f.random() % 14) << 8 * b;
      }
    std::vector<uint32_t> before(64);
    for (unsigned l = 0; l < f.bench.lanes(); ++l) before[l] = f.bench.vgpr(100, l);
    ASSERT_TRUE(f.bench.step(number)) << f.bench.error();
    for (unsigned l = 0; l < f.bench.lanes(); ++l) {
      long double scale = 1;
      if (n.scaleSel >= 0) {
        // Four bits, by the table of MLIR's documentation of scaled_ext_packed_matrix.
        unsigned sel = unsigned(n.scaleSel), upperHalf = l >= 16, byte, lane;
        if (width == 8) lane = sel & 8 ? 16 : 0, byte = (sel >> 1 & 3) + (sel & 1 ? upperHalf : 0);
        else lane = sel & 4 ? 16 : 0, byte = sel & 1 ? (sel >> 1 & 1) + 2 * upperHalf : 2 * (sel >> 1 & 1) + upperHalf;
        unsigned code = f.bench.vgpr(65, lane + l % 16) >> 8 * byte & 255;
        scale = code == 255 ? (long double)NAN : std::ldexp(1.0L, int(code) - 127);
      } else if (n.scaled) scale = scaleOf(f.bench.vgpr(65, l));
      for (unsigned k = 0; k < n.count; ++k) {
        unsigned code = f.bitsAt(0, l, n.shift + k * width, width);
        long double v = decodeReference(n.from, code);
        v = std::isnan(scale) ? std::copysign(scale, v) : v * scale;
        uint32_t want = roundTo(n.to, v), got = f.bench.vgpr(100 + k / perWord, l);
        if (perWord == 2) got = got >> (n.half >= 0 ? 16 * n.half : 16 * int(k & 1)) & 0xffff;
        ASSERT_TRUE(same(n.to, got, want)) << "element " << k << " lane " << l << " code " << code << " scale "
                                           << (double)scale << " got " << std::hex << got << " want " << want;
      }
      if (n.half >= 0) {
        uint32_t keep = n.half ? 0xffffu : 0xffff0000u;
        ASSERT_EQ(f.bench.vgpr(100, l) & keep, before[l] & keep);
      }
    }
  }
  recordSource(f.bench.arch, fly::isa::name(f.bench.instruction(number).op), source);
}

TEST(SmallConversion, WideningWithoutScale) {
  for (const char *arch : {"gfx942", "gfx950", "gfx1201", "gfx1250"}) {
    Fixture f(arch);
    const bool gfx12 = isGfx12(f.bench.row);
    for (bool bf : {false, true}) {
      const std::string name = bf ? "bf8" : "fp8";
      const Expectation &from = fp8Of(arch, bf);
      for (unsigned byte = 0; byte < 4; ++byte) {
        std::string b = std::to_string(byte);
        check(f,
              {gfx12 ? "v_cvt_f32_" + name : "v_cvt_f32_" + name + "_sdwa", "v0", from, Type::F32, 1, 8 * byte, -1,
               gfx12 ? " byte_sel:" + b : " src0_sel:BYTE_" + b, false},
              "host");
        if (std::string(arch) == "gfx1250")
          check(f, {"v_cvt_f16_" + name, "v0", from, Type::F16, 1, 8 * byte, 0, " byte_sel:" + b, false}, "manual");
      }
      for (unsigned word : {0u, 1u}) {
        std::string w = std::to_string(word);
        const bool e64 = gfx12 && word;
        check(f,
              {gfx12 ? "v_cvt_pk_f32_" + name + (e64 ? "_e64" : "") : "v_cvt_pk_f32_" + name + "_sdwa", "v0", from,
               Type::F32, 2, 16 * word, -1,
               e64     ? " op_sel:[1,0]"
               : gfx12 ? ""
                       : " src0_sel:WORD_" + w,
               false},
              "host");
        if (std::string(arch) == "gfx1250")
          check(f,
                {"v_cvt_pk_f16_" + name + (word ? "_e64" : ""), "v0", from, Type::F16, 2, 16 * word, -1,
                 word ? " op_sel:[1,0]" : "", false},
                "manual");
      }
    }
    if (std::string(arch) == "gfx1250")
      check(f, {"v_cvt_f32_fp8", "v0", ufp8Is, Type::F32, 1, 8, -1, " byte_sel:1 clamp", false}, "manual");
  }
}

TEST(SmallConversion, WideningWithScaleOnGfx950) {
  Fixture f("gfx950");
  for (const Expectation *from : {&fp8Is, &bf8Is}) {
    const std::string name = from->name;
    for (unsigned word : {0u, 1u})
      for (Type t : {Type::F32, Type::F16, Type::BF16})
        check(f,
              {std::string("v_cvt_scalef32_pk_") + suffix(t) + "_" + name, "v0, v65", *from, t, 2, 16 * word, -1,
               word ? " op_sel:[1,0,0]" : ""},
              "host");
    for (unsigned byte = 0; byte < 4; ++byte) {
      std::string select = " op_sel:[" + std::to_string(byte & 1) + "," + std::to_string(byte >> 1) + ",";
      check(f, {"v_cvt_scalef32_f32_" + name, "v0, v65", *from, Type::F32, 1, 8 * byte, -1, select + "0]"}, "host");
      for (int half : {0, 1})
        check(f,
              {"v_cvt_scalef32_f16_" + name, "v0, v65", *from, Type::F16, 1, 8 * byte, half,
               select + std::to_string(half) + "]"},
              "host");
    }
  }
  for (Type t : {Type::F32, Type::F16, Type::BF16}) {
    for (unsigned byte = 0; byte < 4; ++byte)
      check(f,
            {std::string("v_cvt_scalef32_pk_") + suffix(t) + "_fp4", "v0, v65", fp4Is, t, 2, 8 * byte, -1,
             " op_sel:[" + std::to_string(byte & 1) + "," + std::to_string(byte >> 1) + ",0]"},
            "host");
    for (const Expectation *from : {&fp6Is, &bf6Is})
      check(f, {std::string("v_cvt_scalef32_pk32_") + suffix(t) + "_" + from->name, "v[0:5], v65", *from, t, 32, 0},
            "host");
  }
}

/// Whether a selector reads the same from both ends: where MLIR and CDNA5's manual (7.6.3) agree, see
/// ScaledConvertOps.cpp.
bool sameBackwards(unsigned select, unsigned bits) {
  for (unsigned k = 0; k < bits; ++k)
    if ((select >> k & 1) != (select >> (bits - 1 - k) & 1)) return false;
  return true;
}

TEST(SmallConversion, WideningWithPackedScalesOnGfx1250) {
  Fixture f("gfx1250");
  for (Type t : {Type::F32, Type::F16, Type::BF16})
    for (const Expectation *from : {&fp8Is, &bf8Is, &fp4Is, &fp6Is, &bf6Is}) {
      const bool six = from == &fp6Is || from == &bf6Is, eight = from == &fp8Is || from == &bf8Is;
      for (int select = 0; select < 16; ++select) {
        if (eight ? (select & 1) && select != 1 && select != 13 : select > 7) continue; // reserved
        check(f,
              {std::string(six ? "v_cvt_scale_pk16_" : "v_cvt_scale_pk8_") + suffix(t) + "_" + from->name,
               range(0, six     ? 3
                        : eight ? 2
                                : 1) +
                   ", v65",
               *from, t, six ? 16u : 8u, 0, -1, select ? " scale_sel:" + std::to_string(select) : "", true, select},
              sameBackwards(select, eight ? 4 : 3) ? "manual" : "document");
      }
    }
}

TEST(SmallConversion, RandomNumbersAreOneStepOfTheShiftRegister) {
  for (const char *arch : {"gfx950", "gfx1250"}) {
    Fixture f(arch);
    f.fill(Type::F32);
    for (unsigned l = 0; l < f.bench.lanes(); ++l) f.bench.vgpr(64, l) = uint32_t(f.random());
    ASSERT_TRUE(f.bench.run("v_prng_b32 v100, v64")) << f.bench.error();
    for (unsigned l = 0; l < f.bench.lanes(); ++l) EXPECT_EQ(f.bench.vgpr(100, l), lfsr(f.bench.vgpr(64, l)));
  }
}

} // namespace
