// Conversions of the vector unit. Float to integer truncates, saturates, and turns NaN into 0.
#include "runtime/emulator/ops/vector/Rows.h"
#include "runtime/emulator/lanes/FloatMath.h"

#include <limits>

namespace fly::emulator {

namespace {

using U16 = uint16_t;
using I16 = int16_t;
using U32 = uint32_t;
using I32 = int32_t;
using H = HalfOf<float>;
using HD = HalfOf<double>;

template <class I, class F> I toInteger(F v) {
  // Compare in the float type: the limits' neighbours are representable as powers of two.
  constexpr double low = static_cast<double>(std::numeric_limits<I>::min());
  constexpr double high = static_cast<double>(std::numeric_limits<I>::max());
  double d = static_cast<double>(v);
  double t = std::trunc(d);
  t = t != t ? 0 : t < low ? low : t > high ? high : t;
  return static_cast<I>(static_cast<int64_t>(t));
}
U32 byteToUnsigned(U32 v, unsigned n) { return v >> 8 * n & 0xff; }
U32 halfTowardsZero(const Mode &m, float f) {
  U32 h = doubleToHalfMode(f, 3);
  return m.flushOut16_64 && (h & 0x7c00) == 0 ? h & 0x8000 : h;
}
template <class T> T normalised(float f, float scale) { // the product is exact in double
  double low = std::is_signed_v<T> ? -1.0 : 0.0, d = static_cast<double>(f);
  double c = d != d ? 0 : d < low ? low : d > 1.0 ? 1.0 : d;
  return static_cast<T>(static_cast<int32_t>(__builtin_roundeven(c * static_cast<double>(scale))));
}

/// Uses signed conversions: when rounding down, the host's vectorised unsigned conversion, a difference of biased
/// numbers, turns 0 into -0. The lowest bit stays sticky when the number is halved, so that it is rounded once.
float unsignedToFloat(U32 a) {
  float half = static_cast<float>(static_cast<I32>(a >> 1 | (a & 1)));
  return static_cast<I32>(a) < 0 ? half + half : static_cast<float>(static_cast<I32>(a));
}
double unsignedToDouble(U32 a) {
  return static_cast<double>(static_cast<I32>(a)) + (static_cast<I32>(a) < 0 ? 4294967296.0 : 0.0);
}
U32 flushedHalf(const Mode &m, U32 h) { return m.flushOut16_64 && (h & 0x7c00) == 0 ? h & 0x8000 : h; }

template <unsigned N> constexpr auto unsignedByte = [](U32 a) { return static_cast<float>(byteToUnsigned(a, N)); };

U32 toByte(float a) { return toInteger<uint8_t>(__builtin_roundevenf(a)); }
/// v_cvt_pkaccum_u8_f32: one byte of the destination, the others stay.
void accumulateByte(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  const U32 *a = fetch<float>(w, i, 0), *select = fetch<U32>(w, i, 1);
  const U32 *mask = w.activeLanes(activeOf(w));
  U32 *d = w.reg(i.dst);
  for (unsigned l = 0; l < w.lanes; ++l) {
    U32 shift = 8 * (select[l] & 3), v = toByte(floatOf(a[l]));
    if (mask[l]) d[l] = (d[l] & ~(0xffu << shift)) | v << shift;
  }
}

// clang-format off
constexpr Row rows[] = {
    {"V_CVT_PKACCUM_U8_F32", accumulateByte},
    // integers and floats
    {"V_CVT_F32_I32", lanes<[](I32 a) { return static_cast<float>(a); }>},
    {"V_CVT_F32_U32", lanes<[](U32 a) { return unsignedToFloat(a); }>},
    {"V_CVT_F64_I32", lanes<[](I32 a) { return static_cast<double>(a); }>},
    {"V_CVT_F64_U32", lanes<[](U32 a) { return unsignedToDouble(a); }>},
    {"V_CVT_I32_F32", lanes<[](float a) { return toInteger<I32>(a); }>},
    {"V_CVT_U32_F32", lanes<[](float a) { return toInteger<U32>(a); }>},
    {"V_CVT_I32_F64", lanes<[](double a) { return toInteger<I32>(a); }>},
    {"V_CVT_U32_F64", lanes<[](double a) { return toInteger<U32>(a); }>},
    {"V_CVT_FLR_I32_F32", lanes<[](float a) { return toInteger<I32>(std::floor(a)); }>},
    {"V_CVT_RPI_I32_F32", lanes<[](float a) { return toInteger<I32>(std::floor(static_cast<double>(a) + 0.5)); }>},
    {"V_CVT_F32_UBYTE0", lanes<unsignedByte<0>>}, {"V_CVT_F32_UBYTE1", lanes<unsignedByte<1>>},
    {"V_CVT_F32_UBYTE2", lanes<unsignedByte<2>>}, {"V_CVT_F32_UBYTE3", lanes<unsignedByte<3>>},
    {"V_CVT_F16_I16", lanes<[](I16 a) { return H{static_cast<float>(a)}; }>},
    {"V_CVT_F16_U16", lanes<[](U16 a) { return H{static_cast<float>(a)}; }>},
    {"V_CVT_I16_F16", lanes<[](Half a) { return toInteger<I16>(a.value); }>},
    {"V_CVT_U16_F16", lanes<[](Half a) { return toInteger<U16>(a.value); }>},
    {"V_CVT_OFF_F32_I4", lanes<[](U32 a) { return static_cast<float>(I32(a << 28) >> 28) * 0.0625f; }>},
    // between floats
    {"V_CVT_F32_F16", lanes<[](Half a) { return settle(a.value, a.value); }>},
    {"V_CVT_F16_F32", lanes<[](float a) { return H{a}; }>},
    {"V_CVT_F32_BF16", lanes<[](BFloat a) { return settle(a.value, a.value); }>},
    {"V_CVT_F64_F32", lanes<[](float a) { return settle<double>(static_cast<double>(a), a); }>},
    {"V_CVT_F32_F64", lanes<[](double a) { float r = static_cast<float>(a); return r == r ? r : quiet(r); }>},
    {"V_CVT_PK_BF16_F32", lanes<[](float a, float b) { return floatToBfloat(a) | floatToBfloat(b) << 16; }>},
    // to nearest even (AMD's pseudocode of gfx950 and gfx1250 sets ROUND_MODE)
    {"V_CVT_PK_F16_F32", lanes<[](const Mode &m, float a, float b) {
       return flushedHalf(m, doubleToHalfMode(a, 0)) | flushedHalf(m, doubleToHalfMode(b, 0)) << 16; }>},
    {"V_CVT_PKRTZ_F16_F32",
     lanes<[](const Mode &m, float a, float b) { return halfTowardsZero(m, a) | halfTowardsZero(m, b) << 16; }>},
    // normalised and packed integers
    {"V_CVT_PKNORM_I16_F32", lanes<[](float a, float b) {
       return U32(U16(normalised<I16>(a, 32767))) | U32(U16(normalised<I16>(b, 32767))) << 16; }>},
    {"V_CVT_PKNORM_U16_F32",
     lanes<[](float a, float b) { return U32(normalised<U16>(a, 65535)) | U32(normalised<U16>(b, 65535)) << 16; }>},
    {"V_CVT_PKNORM_I16_F16", lanes<[](Half a, Half b) {
       return U32(U16(normalised<I16>(a.value, 32767))) | U32(U16(normalised<I16>(b.value, 32767))) << 16; }>},
    {"V_CVT_PKNORM_U16_F16", lanes<[](Half a, Half b) {
       return U32(normalised<U16>(a.value, 65535)) | U32(normalised<U16>(b.value, 65535)) << 16; }>},
    {"V_CVT_NORM_I16_F16", lanes<[](Half a) { return normalised<I16>(a.value, 32767); }>},
    {"V_CVT_NORM_U16_F16", lanes<[](Half a) { return normalised<U16>(a.value, 65535); }>},
    {"V_CVT_PK_I16_F32",
     lanes<[](float a, float b) { return U32(U16(toInteger<I16>(a))) | U32(U16(toInteger<I16>(b))) << 16; }>},
    {"V_CVT_PK_U16_F32", lanes<[](float a, float b) { return U32(toInteger<U16>(a)) | U32(toInteger<U16>(b)) << 16; }>},
    {"V_CVT_PK_U8_F32", lanes<[](float a, U32 b, U32 c) {
       U32 shift = 8 * (b & 3);
       return (c & ~(0xffu << shift)) | toByte(a) << shift; }>},
};
// clang-format on

} // namespace

std::span<const Row> convertRows() { return rows; }

} // namespace fly::emulator
