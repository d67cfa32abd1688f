// Vector instructions that came from graphics and video, and are part of every compute subtarget: sums of absolute
// differences over a sliding window, cube map coordinates, screen tiles, table look-ups, 2/pi in pieces.
#include "runtime/emulator/ops/vector/Rows.h"
#include "runtime/emulator/lanes/FloatMath.h"

namespace fly::emulator {

namespace {

using U32 = uint32_t;
using U64 = uint64_t;

//===--------------------------------------------------------------------------------------------------------===//
// Sums of absolute differences
//===--------------------------------------------------------------------------------------------------------===//

/// Bytes of `a` from byte `first` on against those of b; with Masked the zero bytes of b do not count.
template <bool Masked> U64 windowDifference(U64 a, U32 b, unsigned first) {
  U64 sum = 0;
  for (unsigned k = 0; k < 4; ++k) {
    int x = static_cast<int>(a >> 8 * (first + k) & 0xff), y = static_cast<int>(b >> 8 * k & 0xff);
    if (!Masked || y != 0) sum += static_cast<U64>(x > y ? x - y : y - x);
  }
  return sum;
}
/// v_qsad_pk_u16_u8, v_mqsad_pk_u16_u8.
template <bool Masked, bool Clamped> U64 packedWindows(U64 a, U32 b, U64 c) {
  U64 r = 0;
  for (unsigned k = 0; k < 4; ++k) {
    U64 sum = (c >> 16 * k & 0xffff) + windowDifference<Masked>(a, b, k);
    r |= (Clamped && sum > 0xffff ? 0xffff : sum & 0xffff) << 16 * k;
  }
  return r;
}
/// v_mqsad_u32_u8: four registers.
void windows(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  const U32 *a = fetch<U64>(w, i, 0), *b = fetch<U32>(w, i, 1);
  if (i.source[2].kind != Source::Vector)
    return w.fail(FaultKind::UnknownInstruction, "v_mqsad_u32_u8 with a constant addend is not emulated");
  const U32 *mask = w.activeLanes(activeOf(w));
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (!mask[l]) continue;
    U32 r[4];
    for (unsigned k = 0; k < 4; ++k) {
      U64 sum = w.reg(i.source[2].index + k)[l] + windowDifference<true>(LaneType<U64>::load(a, l), b[l], k);
      r[k] = i.clamp && sum > 0xffffffffull ? 0xffffffffu : static_cast<U32>(sum);
    }
    for (unsigned k = 0; k < 4; ++k) w.reg(i.dst + k)[l] = r[k];
  }
}

//===--------------------------------------------------------------------------------------------------------===//
// Cube maps
//===--------------------------------------------------------------------------------------------------------===//

enum class Axis { X, Y, Z };
Axis majorAxis(float x, float y, float z) {
  float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  return az >= ax && az >= ay ? Axis::Z : ay >= ax ? Axis::Y : Axis::X;
}
constexpr auto cubeFace = [](float x, float y, float z) {
  switch (majorAxis(x, y, z)) {
  case Axis::Z: return z < 0 ? 5.0f : 4.0f;
  case Axis::Y: return y < 0 ? 3.0f : 2.0f;
  default: return x < 0 ? 1.0f : 0.0f;
  }
};
constexpr auto cubeS = [](float x, float y, float z) {
  switch (majorAxis(x, y, z)) {
  case Axis::Z: return z < 0 ? -x : x;
  case Axis::Y: return x;
  default: return x < 0 ? z : -z;
  }
};
constexpr auto cubeT = [](float x, float y, float z) { return majorAxis(x, y, z) != Axis::Y ? -y : y < 0 ? -z : z; };
constexpr auto cubeMajor = [](float x, float y, float z) {
  Axis a = majorAxis(x, y, z);
  float m = a == Axis::Z ? z : a == Axis::Y ? y : x;
  return settle(m * 2, m);
};

/// v_mullit_f32: the specular term of fixed-function lighting.
constexpr auto mullit = [](float a, float b, float c) {
  constexpr float most = std::numeric_limits<float>::max();
  return b == -most || b == -HUGE_VALF || b != b || !(c > 0) ? -most : settle(a * b, a, b);
};

/// v_screen_partition_4se_b32: which of four shader engines a rectangle of 32 x 32 pixel tiles covers. The engine of
/// tile (x, y) is {x[0] ^ y[1], y[0] ^ x[1]} (Vega ISA); the source has x and y of the first and the last tile, modulo
/// 4.
constexpr auto screenPartition = [](U32 corners) {
  const U32 x0 = corners >> 6 & 3, y0 = corners >> 4 & 3, x1 = corners >> 2 & 3, y1 = corners & 3;
  U32 engines = 0;
  for (U32 i = 0; i <= ((x1 - x0) & 3); ++i)
    for (U32 k = 0; k <= ((y1 - y0) & 3); ++k) {
      const U32 x = (x0 + i) & 3, y = (y0 + k) & 3;
      engines |= 1u << (((x & 1) ^ y >> 1) << 1 | ((y & 1) ^ x >> 1));
    }
  return engines;
};

//===--------------------------------------------------------------------------------------------------------===//
// 2/pi
//===--------------------------------------------------------------------------------------------------------===//

/// The first 1216 bits after the binary point of 2/pi; v_trig_preop_f64 uses 1201 of them.
constexpr U32 twoOverPi[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
                             0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
                             0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b,
                             0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
                             0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1,
                             0x1f8d5d08, 0x56033046, 0xfc7b6bab};
/// 53 bits from bit `from` after the point; zeros from bit 1201 on.
U64 piBits(unsigned from) {
  U64 v = 0;
  for (unsigned k = from; k < from + 53; ++k) v = v << 1 | (k < 1201 ? twoOverPi[k / 32] >> (31 - k % 32) & 1 : 0);
  return v;
}
/// The S1-th 53 bits of 2/pi that matter for reducing S0, as a double of their weight.
double trigPreop(double a, U32 segment) {
  int exponent = exponentField(a);
  int shift = static_cast<int>(segment & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
  // A signed conversion: rounding down, the host's unsigned one may turn 0 into -0.
  double bits = static_cast<double>(static_cast<int64_t>(piBits(static_cast<unsigned>(shift))));
  return std::ldexp(bits, -53 - shift + (exponent >= 1968 ? 128 : 0));
}

//===--------------------------------------------------------------------------------------------------------===//
// Table look-ups of gfx1250
//===--------------------------------------------------------------------------------------------------------===//

/// v_perm_pk16_b4_u4, _b6_, _b8_: sixteen elements of `Bits`, each the table's entry that a nibble of Src2 names. The
/// table is Src1 with Src0 above it (CDNA5 as AMD's packed permute test has it, single source).
template <unsigned Bits> void lookUp(Wave &w, const Inst &i) {
  constexpr unsigned words = Bits / 2;
  w.dppActive = ~0ull;
  const U32 *high = Bits == 8 ? fetch<U64>(w, i, 0) : fetch<U32>(w, i, 0);
  const U32 *low = Bits == 4 ? fetch<U32>(w, i, 1) : fetch<U64>(w, i, 1);
  const U32 *select = fetch<U64>(w, i, 2);
  const U32 *mask = w.activeLanes(activeOf(w));
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (!mask[l]) continue;
    U32 table[5] = {}, result[5] = {};
    unsigned n = 0;
    table[n++] = low[l];
    if (Bits != 4) table[n++] = low[l + laneStride];
    table[n++] = high[l];
    if (Bits == 8) table[n++] = high[l + laneStride];
    const U64 nibbles = LaneType<U64>::load(select, l);
    for (unsigned k = 0; k < 16; ++k) {
      const unsigned from = static_cast<unsigned>(nibbles >> 4 * k & 15) * Bits, to = k * Bits;
      const U64 both = table[from / 32] | static_cast<U64>(table[from / 32 + 1]) << 32;
      const U64 value = both >> from % 32 & ((1u << Bits) - 1);
      result[to / 32] |= static_cast<U32>(value << to % 32);
      result[to / 32 + 1] |= static_cast<U32>(value << to % 32 >> 32);
    }
    for (unsigned k = 0; k < words; ++k) w.reg(i.dst + k)[l] = result[k];
  }
}

/// v_sat_pk4: four bytes saturated to nibbles.
template <bool Signed> uint16_t saturateNibbles(U32 v) {
  U32 r = 0;
  for (unsigned k = 0; k < 4; ++k) {
    int b = Signed ? static_cast<int8_t>(v >> 8 * k) : static_cast<int>(v >> 8 * k & 0xff);
    b = Signed ? (b < -8 ? -8 : b > 7 ? 7 : b) : (b > 15 ? 15 : b);
    r |= (static_cast<U32>(b) & 15) << 4 * k;
  }
  return static_cast<uint16_t>(r);
}
/// v_ashr_pk_i8_i32, v_ashr_pk_u8_i32.
template <int Low, int High> uint16_t shiftToBytes(int32_t a, int32_t b, U32 shift) {
  auto byte = [&](int32_t v) {
    int32_t s = v >> (shift & 31);
    return static_cast<U32>(s < Low ? Low : s > High ? High : s) & 0xff;
  };
  return static_cast<uint16_t>(byte(a) | byte(b) << 8);
}

// clang-format off
constexpr Row rows[] = {
    {"V_QSAD_PK_U16_U8", lanes<packedWindows<false, false>>, Row::Lanes, lanes<packedWindows<false, true>>},
    {"V_MQSAD_PK_U16_U8", lanes<packedWindows<true, false>>, Row::Lanes, lanes<packedWindows<true, true>>},
    {"V_MQSAD_U32_U8", windows, Row::Other},
    {"V_CUBEID_F32", lanes<cubeFace>}, {"V_CUBESC_F32", lanes<cubeS>}, {"V_CUBETC_F32", lanes<cubeT>},
    {"V_CUBEMA_F32", lanes<cubeMajor>}, {"V_MULLIT_F32", lanes<mullit>},
    {"V_SCREEN_PARTITION_4SE_B32", lanes<screenPartition>},
    {"V_TRIG_PREOP_F64", lanes<trigPreop>},
    {"V_PERM_PK16_B4_U4", lookUp<4>, Row::Other}, {"V_PERM_PK16_B6_U4", lookUp<6>, Row::Other},
    {"V_PERM_PK16_B8_U4", lookUp<8>, Row::Other},
    {"V_SAT_PK4_I4_I8", lanes<saturateNibbles<true>>}, {"V_SAT_PK4_U4_U8", lanes<saturateNibbles<false>>},
    {"V_ASHR_PK_I8_I32", lanes<shiftToBytes<-128, 127>>}, {"V_ASHR_PK_U8_I32", lanes<shiftToBytes<0, 255>>},
};
// clang-format on

} // namespace

std::span<const Row> graphicsRows() { return rows; }

} // namespace fly::emulator
