// Clamp of integer instructions against exact sums in 128 bits, and FP16_OVFL.
#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/StepBench.h"

#include "runtime/emulator/formats/SmallFloat.h"

#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

using Wide = __int128;
/// Operands as the registers hold them: v0, v2, v4 in their pairs, and the carry in VCC.
struct In {
  uint64_t a, b, c;
  bool carry;
};

Wide u8(uint64_t v, unsigned k) { return v >> 8 * k & 0xff; }
Wide i(uint64_t v, unsigned bits) {
  return bits == 64 ? Wide(int64_t(v)) : Wide(int64_t(v << (64 - bits)) >> (64 - bits));
}
Wide u(uint64_t v, unsigned bits) { return bits == 64 ? Wide(v) : Wide(v & ((1ull << bits) - 1)); }
Wide distance(Wide x, Wide y) { return x > y ? x - y : y - x; }
template <unsigned Bits, class F> Wide dot(uint64_t a, uint64_t b, F extend) {
  Wide sum = 0;
  for (unsigned k = 0; k < 32; k += Bits) sum += extend(a >> k, Bits) * extend(b >> k, Bits);
  return sum;
}
Wide sad8(const In &x, bool masked) {
  Wide sum = 0;
  for (unsigned k = 0; k < 4; ++k) sum += masked && u8(x.b, k) == 0 ? Wide(0) : distance(u8(x.a, k), u8(x.b, k));
  return sum;
}

struct Case {
  const char *text, *architectures; ///< the latter "9", "12", "9 12"
  unsigned bits;
  bool isSigned;
  std::function<Wide(const In &)> exact;
};

const Case cases[] = {
    {"v_add_u32_e64 v10, v0, v2", "9", 32, false, [](const In &x) { return u(x.a, 32) + u(x.b, 32); }},
    {"v_sub_u32_e64 v10, v0, v2", "9", 32, false, [](const In &x) { return u(x.a, 32) - u(x.b, 32); }},
    {"v_subrev_u32_e64 v10, v0, v2", "9", 32, false, [](const In &x) { return u(x.b, 32) - u(x.a, 32); }},
    {"v_add_i32 v10, v0, v2", "9 12", 32, true, [](const In &x) { return i(x.a, 32) + i(x.b, 32); }},
    {"v_sub_i32 v10, v0, v2", "9 12", 32, true, [](const In &x) { return i(x.a, 32) - i(x.b, 32); }},
    {"v_add_co_u32_e64 v10, s[20:21], v0, v2", "9", 32, false, [](const In &x) { return u(x.a, 32) + u(x.b, 32); }},
    {"v_sub_co_u32_e64 v10, s[20:21], v0, v2", "9", 32, false, [](const In &x) { return u(x.a, 32) - u(x.b, 32); }},
    {"v_subrev_co_u32_e64 v10, s[20:21], v0, v2", "9", 32, false, [](const In &x) { return u(x.b, 32) - u(x.a, 32); }},
    {"v_addc_co_u32_e64 v10, s[20:21], v0, v2, vcc", "9", 32, false,
     [](const In &x) { return u(x.a, 32) + u(x.b, 32) + x.carry; }},
    {"v_subb_co_u32_e64 v10, s[20:21], v0, v2, vcc", "9", 32, false,
     [](const In &x) { return u(x.a, 32) - u(x.b, 32) - x.carry; }},
    {"v_subbrev_co_u32_e64 v10, s[20:21], v0, v2, vcc", "9", 32, false,
     [](const In &x) { return u(x.b, 32) - u(x.a, 32) - x.carry; }},
    {"v_mul_u32_u24_e64 v10, v0, v2", "9 12", 32, false, [](const In &x) { return u(x.a, 24) * u(x.b, 24); }},
    {"v_mul_i32_i24_e64 v10, v0, v2", "9 12", 32, true, [](const In &x) { return i(x.a, 24) * i(x.b, 24); }},
    {"v_mad_u32_u24 v10, v0, v2, v4", "9 12", 32, false,
     [](const In &x) { return u(x.a, 24) * u(x.b, 24) + u(x.c, 32); }},
    {"v_mad_i32_i24 v10, v0, v2, v4", "9 12", 32, true,
     [](const In &x) { return i(x.a, 24) * i(x.b, 24) + i(x.c, 32); }},
    {"v_mad_u32_u16 v10, v0, v2, v4", "9 12", 32, false,
     [](const In &x) { return u(x.a, 16) * u(x.b, 16) + u(x.c, 32); }},
    {"v_mad_i32_i16 v10, v0, v2, v4", "9 12", 32, true,
     [](const In &x) { return i(x.a, 16) * i(x.b, 16) + i(x.c, 32); }},
    {"v_mad_u16 v10, v0, v2, v4", "9 12", 16, false, [](const In &x) { return u(x.a, 16) * u(x.b, 16) + u(x.c, 16); }},
    {"v_mad_i16 v10, v0, v2, v4", "9 12", 16, true, [](const In &x) { return i(x.a, 16) * i(x.b, 16) + i(x.c, 16); }},
    {"v_mad_u64_u32 v[10:11], s[20:21], v0, v2, v[4:5]", "9", 64, false,
     [](const In &x) { return u(x.a, 32) * u(x.b, 32) + u(x.c, 64); }},
    {"v_mad_i64_i32 v[10:11], s[20:21], v0, v2, v[4:5]", "9", 64, true,
     [](const In &x) { return i(x.a, 32) * i(x.b, 32) + i(x.c, 64); }},
    {"v_sad_u8 v10, v0, v2, v4", "9 12", 32, false, [](const In &x) { return sad8(x, false) + u(x.c, 32); }},
    {"v_msad_u8 v10, v0, v2, v4", "9 12", 32, false, [](const In &x) { return sad8(x, true) + u(x.c, 32); }},
    {"v_sad_hi_u8 v10, v0, v2, v4", "9 12", 32, false, [](const In &x) { return sad8(x, false) * 65536 + u(x.c, 32); }},
    {"v_sad_u16 v10, v0, v2, v4", "9 12", 32, false,
     [](const In &x) {
       return distance(u(x.a, 16), u(x.b, 16)) + distance(u(x.a >> 16, 16), u(x.b >> 16, 16)) + u(x.c, 32);
     }},
    {"v_sad_u32 v10, v0, v2, v4", "9 12", 32, false,
     [](const In &x) { return distance(u(x.a, 32), u(x.b, 32)) + u(x.c, 32); }},
    {"v_dot4_u32_u8 v10, v0, v2, v4", "9 12", 32, false, [](const In &x) { return dot<8>(x.a, x.b, u) + u(x.c, 32); }},
    {"v_dot8_u32_u4 v10, v0, v2, v4", "9 12", 32, false, [](const In &x) { return dot<4>(x.a, x.b, u) + u(x.c, 32); }},
    {"v_dot4_i32_i8 v10, v0, v2, v4", "9", 32, true, [](const In &x) { return dot<8>(x.a, x.b, i) + i(x.c, 32); }},
    {"v_dot8_i32_i4 v10, v0, v2, v4", "9", 32, true, [](const In &x) { return dot<4>(x.a, x.b, i) + i(x.c, 32); }},
    {"v_dot2_i32_i16 v10, v0, v2, v4", "9", 32, true, [](const In &x) { return dot<16>(x.a, x.b, i) + i(x.c, 32); }},
    {"v_dot2_u32_u16 v10, v0, v2, v4", "9", 32, false, [](const In &x) { return dot<16>(x.a, x.b, u) + u(x.c, 32); }},
    {"v_dot4_i32_iu8 v10, v0, v2, v4 neg_lo:[1,1,0]", "12", 32, true,
     [](const In &x) { return dot<8>(x.a, x.b, i) + i(x.c, 32); }},
    {"v_dot8_i32_iu4 v10, v0, v2, v4 neg_lo:[1,1,0]", "12", 32, true,
     [](const In &x) { return dot<4>(x.a, x.b, i) + i(x.c, 32); }},
};

TEST(Clamp, IntegersSaturate) {
  for (const char *arch : {"gfx942", "gfx950", "gfx1201", "gfx1250"}) {
    StepBench bench(arch);
    std::mt19937_64 random(17);
    for (const Case &c : cases) {
      if (std::string(c.architectures).find(isGfx12(bench.row) ? "12" : "9") == std::string::npos) continue;
      for (bool clamp : {false, true}) {
        std::string text = std::string(c.text) + (clamp ? " clamp" : "");
        SCOPED_TRACE(std::string(arch) + ": " + text);
        int number = bench.add(text);
        if (number < 0 && isGfx12(bench.row)) continue; // gfx1250 lacks some
        ASSERT_GE(number, 0) << bench.error();
        for (unsigned round = 0; round < 12; ++round) {
          std::vector<In> in(bench.lanes());
          uint64_t vcc = random();
          bench.setVcc(vcc);
          for (unsigned l = 0; l < bench.lanes(); ++l) {
            uint64_t v[3];
            for (uint64_t &x : v) {
              x = random();
              if (random() % 3 == 0) x |= 0xf000f000f000f000ull; // near the top
              if (random() % 4 == 0) x = ~0ull << random() % 64;
            }
            in[l] = {v[0], v[1], v[2], bool(vcc >> l & 1)};
            bench.setVgpr64(0, l, v[0]);
            bench.setVgpr64(2, l, v[1]);
            bench.setVgpr64(4, l, v[2]);
          }
          ASSERT_TRUE(bench.step(number)) << bench.error();
          for (unsigned l = 0; l < bench.lanes(); ++l) {
            Wide want = c.exact(in[l]);
            const Wide low = c.isSigned ? -(Wide(1) << (c.bits - 1)) : 0, high = (Wide(1) << (c.bits - c.isSigned)) - 1;
            if (clamp) want = want < low ? low : want > high ? high : want;
            uint64_t got = c.bits == 64   ? bench.vgpr64(10, l)
                           : c.bits == 32 ? bench.vgpr(10, l)
                                          : bench.vgpr(10, l) & 0xffff;
            ASSERT_EQ(got, uint64_t(want) & (c.bits == 64 ? ~0ull : (1ull << c.bits) - 1))
                << std::hex << in[l].a << " " << in[l].b << " " << in[l].c;
          }
        }
        recordSource(arch, fly::isa::name(bench.instruction(number).op), "host");
      }
    }
  }
}

/// FP16_OVFL: overflow gives the largest number, infinite operands still give infinity.
TEST(Clamp, HalfOverflowBecomesTheLargestNumber) {
  for (const char *arch : {"gfx942", "gfx1201"}) {
    StepBench bench(arch);
    struct {
      const char *text;
      uint32_t a, b;
      uint32_t plain, clamped;
    } halves[] = {
        {"v_add_f16 v10, v0, v1", 0x7bff, 0x7bff, 0x7c00, 0x7bff},
        {"v_add_f16 v10, v0, v1", 0xfbff, 0xfbff, 0xfc00, 0xfbff},
        {"v_add_f16 v10, v0, v1", 0x7c00, 0x3c00, 0x7c00, 0x7c00},
        {"v_mul_f16 v10, v0, v1", 0x7bff, 0xc000, 0xfc00, 0xfbff},
        {"v_fma_f16 v10, v0, v1, v0", 0x7bff, 0x4000, 0x7c00, 0x7bff},
        {"v_rcp_f16 v10, v0", 0x8000, 0, 0xfc00, 0xfbff},
        {"v_cvt_f16_f32 v10, v0", 0x47c35000, 0, 0x7c00, 0x7bff},
        {"v_cvt_f16_f32 v10, v0", 0xff800000, 0, 0xfc00, 0xfc00},
    };
    for (auto &h : halves)
      for (bool clamp : {false, true}) {
        bench.setMode(0x3f0u | (clamp ? 1u << 23 : 0));
        bench.splat(0, h.a);
        bench.splat(1, h.b);
        ASSERT_TRUE(bench.run(h.text)) << bench.error();
        EXPECT_EQ(bench.vgpr(10, 3) & 0xffff, clamp ? h.clamped : h.plain)
            << arch << " " << h.text << std::hex << " " << h.a << " " << h.b;
      }
    bench.setMode(0x3f0u | 1u << 23);
    bench.splat(0, 0x7c007bff);
    bench.splat(1, 0x7bff7bff);
    ASSERT_TRUE(bench.run("v_pk_add_f16 v10, v0, v1")) << bench.error();
    EXPECT_EQ(bench.vgpr(10, 0), 0x7c007bffu);
  }
}

} // namespace
