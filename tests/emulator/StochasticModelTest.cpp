// gfx1250's stochastic conversions against AMD's model of them in software: rocjitsu, whose encodings are those of
// HIP's amd_hip_ocp_host.hpp. The emulator follows the manual of CDNA5.
//
// The two disagree on which random bits an element gets. The model adds the uppermost bits of a 32-bit number, and
// steps the number after each element. The manual has 16 bits per element, the two halves of a number, and steps it
// after every two. Both are linear over GF(2) in the instruction's random operand. So the operands for which an element
// gets the same bits from both are a linear space, and this test draws from its basis, element by element.
//
// The model also scales by the whole f32, the manual by its exponent: scales here are powers of two. And it keeps 23
// bits of what becomes a denormal, whatever the source: for 16-bit sources denormal results are left out.
// coverage_notes.json says the same.
#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/StepBench.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

/// A narrow format as the model has it.
struct Format {
  const char *name;
  unsigned width, mantissa;
  int maxExponent, minExponent;
  uint32_t overflow; ///< what infinities and numbers beyond the largest exponent become
  uint32_t firstNan; ///< this magnitude and those above are NaN; 0: there is no NaN
};
constexpr Format fp8{"fp8", 8, 3, 8, -6, 0x7f, 0x7f}, bf8{"bf8", 8, 2, 15, -14, 0x7c, 0x7d};
constexpr Format fp4{"fp4", 4, 1, 2, 0, 7, 0}, fp6{"fp6", 6, 3, 2, 0, 0x1f, 0}, bf6{"bf6", 6, 2, 4, -2, 0x1f, 0};
constexpr Format half{"f16", 16, 10, 15, -14, 0x7c00, 0x7c01}, bfloat{"bf16", 16, 7, 127, -126, 0x7f80, 0x7f81};

/// The model: the random number's uppermost bits are added below the last bit that stays, then the rest is cut off.
uint32_t modelled(const Format &f, float value, uint32_t random) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 31 << (f.width - 1);
  if (value == 0) return sign;
  if (std::isinf(value)) return sign | f.overflow;
  const int exponent = std::max(std::ilogb(value), f.minExponent);
  uint32_t fixed = static_cast<uint32_t>(std::ldexp(std::fabs(value), 23 - exponent)); // cuts off what a denormal loses
  fixed += random >> (9 + f.mantissa);
  const uint32_t code = (static_cast<uint32_t>(exponent - f.minExponent) << f.mantissa) + (fixed >> (23 - f.mantissa));
  const uint32_t beyond = static_cast<uint32_t>(f.maxExponent - f.minExponent + 2) << f.mantissa;
  return sign | (exponent > f.maxExponent || code >= beyond ? f.overflow : std::min(code, f.overflow));
}

uint32_t step(uint32_t random) { return random << 1 ^ (random >> 31 ? 197u : 0u); }
uint32_t stepped(uint32_t random, unsigned times) { return times ? stepped(step(random), times - 1) : random; }
uint32_t modelsRandom(uint32_t operand, unsigned element) { return stepped(operand, element); }
uint32_t manualsRandom(uint32_t operand, unsigned element) {
  const uint32_t number = stepped(operand, element / 2);
  return element & 1 ? number & 0xffff0000u : number << 16;
}

/// A basis of the operands that give `element` the same uppermost `count` bits by both texts.
std::vector<uint32_t> agreeing(unsigned element, unsigned count) {
  struct Row {
    uint32_t operand, difference;
  };
  std::vector<Row> pivots;
  std::vector<uint32_t> basis;
  for (unsigned bit = 0; bit < 32; ++bit) {
    const uint32_t operand = 1u << bit;
    Row row{operand, (modelsRandom(operand, element) ^ manualsRandom(operand, element)) >> (32 - count)};
    for (const Row &p : pivots)
      if (row.difference & std::bit_floor(p.difference)) row.operand ^= p.operand, row.difference ^= p.difference;
    if (row.difference) pivots.push_back(row);
    else basis.push_back(row.operand);
  }
  return basis;
}

enum class Source { F32, F16, Bf16 };
unsigned mantissaOf(Source s) { return s == Source::F32 ? 23 : s == Source::F16 ? 10 : 7; }
float numberOf(Source s, uint32_t bits) {
  if (s == Source::F32) return std::bit_cast<float>(bits);
  if (s == Source::Bf16) return std::bit_cast<float>(bits << 16);
  return static_cast<float>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits)));
}
/// Most within what the format has, some far outside, some special.
uint32_t someBits(Source s, const Format &f, std::mt19937 &random) {
  static const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 6, 7.5f, 28, 448, 464, 480, 57344, 1e30f};
  const unsigned kind = random() % 12, exponents = static_cast<unsigned>(f.maxExponent - f.minExponent + 5);
  const int within = f.minExponent - 3 + static_cast<int>(random() % exponents);
  const int exponent = kind == 1 ? static_cast<int>(random() % 40) - 20 : within;
  float v = std::ldexp(1 + std::ldexp(static_cast<float>(random() & 0x7fffff), -23), exponent);
  if (kind == 0) v = special[random() % std::size(special)];
  if (random() & 1) v = -v;
  if (s == Source::F32) return std::bit_cast<uint32_t>(v);
  if (s == Source::Bf16) return std::bit_cast<uint32_t>(v) >> 16;
  return std::bit_cast<uint16_t>(static_cast<_Float16>(v));
}

constexpr unsigned sourceRegister = 0, secondRegister = 20, randomRegister = 40, scaleRegister = 41;
constexpr unsigned resultRegister = 50;

/// `width` bits of a lane's result, from bit `at` on.
uint32_t resultBits(StepBench &bench, unsigned lane, unsigned at, unsigned width) {
  return static_cast<uint32_t>(bench.vgpr64(resultRegister + at / 32, lane) >> at % 32) & ((1u << width) - 1);
}

/// `pair`: v_cvt_sr_pk_*, with a register for each of two elements, and no scale.
void compare(StepBench &bench, const std::string &text, const Format &f, Source source, unsigned count, bool pair) {
  SCOPED_TRACE(text);
  const int number = bench.add(text);
  ASSERT_GE(number, 0) << bench.error();
  bench.setMode(0x3f0);
  std::mt19937 random(7);
  unsigned down = 0, up = 0;
  for (unsigned element = 0; element < count; ++element) {
    const std::vector<uint32_t> operands = agreeing(element, mantissaOf(source) - f.mantissa);
    ASSERT_GE(operands.size(), 10u);
    for (unsigned round = 0; round < 40; ++round) {
      std::vector<float> value(32);
      for (unsigned l = 0; l < 32; ++l) {
        const float scale = std::ldexp(1.0f, pair ? 0 : static_cast<int>(random() % 9) - 4);
        for (unsigned k = 0; k < count; ++k) {
          const uint32_t bits = someBits(source, f, random);
          uint32_t &to = pair ? bench.vgpr(k ? secondRegister : sourceRegister, l)
                              : bench.vgpr(sourceRegister + (source == Source::F32 ? k : k / 2), l);
          to = source == Source::F32 ? bits : k & 1 ? (to & 0xffff) | bits << 16 : bits;
          if (k == element) value[l] = numberOf(source, bits) / scale;
        }
        uint32_t operand = 0;
        for (uint32_t o : operands) operand ^= random() & 1 ? o : 0;
        bench.vgpr(randomRegister, l) = operand;
        bench.vgpr(scaleRegister, l) = std::bit_cast<uint32_t>(scale);
      }
      ASSERT_TRUE(bench.step(number)) << bench.error();
      for (unsigned l = 0; l < 32; ++l) {
        const float v = value[l];
        const bool denormal = v != 0 && std::fabs(v) < std::ldexp(1.0f, f.minExponent);
        if (denormal && (source != Source::F32 || std::fabs(v) < 0x1p-126f)) continue;
        const uint32_t got = resultBits(bench, l, element * f.width, f.width);
        const uint32_t magnitude = got & ((1u << (f.width - 1)) - 1);
        if (std::isnan(v)) {
          if (f.firstNan) ASSERT_GE(magnitude, f.firstNan) << "element " << element;
          else ASSERT_EQ(magnitude, f.overflow) << "element " << element;
          continue;
        }
        const uint32_t operand = bench.vgpr(randomRegister, l), want = modelled(f, v, modelsRandom(operand, element));
        ASSERT_EQ(got, want) << "element " << element << " value " << v << std::hex << " random operand " << operand;
        if (modelled(f, v, 0) != modelled(f, v, ~0u)) ++(want == modelled(f, v, 0) ? down : up);
      }
    }
  }
  // Random bits mattered: many were rounded up, many down.
  EXPECT_GT(down, 40 * count) << up;
  EXPECT_GT(up, 40 * count) << down;
  recordSource(bench.arch, fly::isa::name(bench.instruction(number).op), "model");
}

std::string range(unsigned first, unsigned count) {
  if (count == 1) return "v" + std::to_string(first);
  return "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

TEST(StochasticModel, ScaledBlocks) {
  StepBench bench("gfx1250");
  const std::pair<Source, const char *> sources[] = {
      {Source::F32, "f32"}, {Source::F16, "f16"}, {Source::Bf16, "bf16"}};
  for (const auto &[source, suffix] : sources)
    for (const Format &f : {fp8, bf8, fp4, fp6, bf6}) {
      const unsigned count = f.width == 6 ? 16 : 8;
      const std::string name = "v_cvt_scalef32_sr_pk" + std::to_string(count) + "_" + f.name + "_" + suffix;
      const std::string from = range(sourceRegister, source == Source::F32 ? count : count / 2);
      compare(bench,
              name + " " + range(resultRegister, count * f.width / 32) + ", " + from + ", " + range(randomRegister, 1) +
                  ", " + range(scaleRegister, 1),
              f, source, count, false);
    }
}

TEST(StochasticModel, PairsOfHalves) {
  StepBench bench("gfx1250");
  for (const Format &f : {half, bfloat})
    compare(bench,
            std::string("v_cvt_sr_pk_") + f.name + "_f32 " + range(resultRegister, 1) + ", " +
                range(sourceRegister, 1) + ", " + range(secondRegister, 1) + ", " + range(randomRegister, 1),
            f, Source::F32, 2, true);
}

} // namespace
