// Integer arithmetic, logic, shifts and bit fields of the vector unit, 32 and 64 bits.
#include "runtime/emulator/Lanes.h"

namespace fly::emulator {

namespace {

using U32 = uint32_t;
using I32 = int32_t;
using U64 = uint64_t;
using I64 = int64_t;

I32 signed24(U32 v) { return static_cast<I32>(v << 8) >> 8; }
U32 unsigned24(U32 v) { return v & 0xffffff; }
U32 saturateU(U64 v) { return v > 0xffffffffull ? 0xffffffffu : U32(v); }
I32 saturateI(I64 v) { return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : I32(v); }
template <class T> T minimum(T a, T b) { return a < b ? a : b; }
template <class T> T maximum(T a, T b) { return a > b ? a : b; }
template <class T> T median(T a, T b, T c) { return maximum(minimum(a, b), minimum(maximum(a, b), c)); }

U32 fieldU(U32 v, U32 offset, U32 width) {
  offset &= 31;
  width &= 31;
  return v >> offset & ((1u << width) - 1);
}
I32 fieldI(I32 v, U32 offset, U32 width) {
  offset &= 31;
  width &= 31;
  U32 moved = U32(v >> offset) << (31 & (32 - width));
  return width == 0 ? 0 : I32(moved) >> (31 & (32 - width));
}
U32 permuteByte(U64 data, U32 select) {
  select &= 0xff;
  if (select >= 13) return 0xff;
  if (select == 12) return 0;
  if (select >= 8) return (data >> (16 * (select - 8) + 15) & 1) ? 0xff : 0;
  return data >> 8 * select & 0xff;
}
U32 absoluteDifference(U32 a, U32 b) { return a > b ? a - b : b - a; }
U32 sumBytes(U32 a, U32 b, U32 c, bool masked) { // v_sad_u8, v_msad_u8
  for (unsigned k = 0; k < 4; ++k) {
    U32 x = a >> 8 * k & 0xff, y = b >> 8 * k & 0xff;
    c += masked && y == 0 ? 0 : absoluteDifference(x, y);
  }
  return c;
}
U32 lerpBytes(U32 a, U32 b, U32 c) {
  U32 r = 0;
  for (unsigned k = 0; k < 4; ++k) r |= (((a >> 8 * k & 0xff) + (b >> 8 * k & 0xff) + (c >> 8 * k & 1)) >> 1) << 8 * k;
  return r;
}
template <unsigned Bits, bool Signed> U32 dot(U32 a, U32 b, U32 c) { // v_dot4, v_dot8, v_dot2 of integers
  for (unsigned k = 0; k < 32; k += Bits) {
    if constexpr (Signed) c += U32((I32(a << (32 - Bits - k)) >> (32 - Bits)) * (I32(b << (32 - Bits - k)) >> (32 - Bits)));
    else c += (a >> k & ((1u << Bits) - 1)) * (b >> k & ((1u << Bits) - 1));
  }
  return c;
}

constexpr Row rows[] = {
    // addition. v_add_u32 with clamp saturates; the forms with carry write Sdst
    {"V_ADD_U32", lanes<[](U32 a, U32 b) { return a + b; }>, Row::Lanes, lanes<[](U32 a, U32 b) { return saturateU(U64(a) + b); }>},
    {"V_SUB_U32", lanes<[](U32 a, U32 b) { return a - b; }>, Row::Lanes, lanes<[](U32 a, U32 b) { return a < b ? 0u : a - b; }>},
    {"V_SUBREV_U32", lanes<[](U32 a, U32 b) { return b - a; }>, Row::Lanes, lanes<[](U32 a, U32 b) { return b < a ? 0u : b - a; }>},
    {"V_ADD_I32", lanes<[](U32 a, U32 b) { return a + b; }>, Row::Lanes, lanes<[](I32 a, I32 b) { return saturateI(I64(a) + b); }>},
    {"V_SUB_I32", lanes<[](U32 a, U32 b) { return a - b; }>, Row::Lanes, lanes<[](I32 a, I32 b) { return saturateI(I64(a) - b); }>},
    {"V_ADD_CO_U32", lanes<[](U32 a, U32 b) { return Carry<U32>{a + b, a + b < a}; }>},
    {"V_SUB_CO_U32", lanes<[](U32 a, U32 b) { return Carry<U32>{a - b, b > a}; }>},
    {"V_SUBREV_CO_U32", lanes<[](U32 a, U32 b) { return Carry<U32>{b - a, a > b}; }>},
    {"V_ADDC_CO_U32", lanes<[](U32 a, U32 b, bool c) { U32 s = a + b, t = s + c; return Carry<U32>{t, s < a || t < s}; }>},
    {"V_SUBB_CO_U32", lanes<[](U32 a, U32 b, bool c) { return Carry<U32>{a - b - c, b > a || (b == a && c)}; }>},
    {"V_SUBBREV_CO_U32", lanes<[](U32 a, U32 b, bool c) { return Carry<U32>{b - a - c, a > b || (a == b && c)}; }>},
    {"V_ADD_U64", lanes<[](U64 a, U64 b) { return a + b; }>},
    {"V_SUB_U64", lanes<[](U64 a, U64 b) { return a - b; }>},
    {"V_ADD3_U32", lanes<[](U32 a, U32 b, U32 c) { return a + b + c; }>},
    {"V_LSHL_ADD_U32", lanes<[](U32 a, U32 b, U32 c) { return (a << (b & 31)) + c; }>},
    {"V_LSHL_ADD_U64", lanes<[](U64 a, U32 b, U64 c) { return (a << (b & 7)) + c; }>},
    {"V_ADD_LSHL_U32", lanes<[](U32 a, U32 b, U32 c) { return (a + b) << (c & 31); }>},
    {"V_XAD_U32", lanes<[](U32 a, U32 b, U32 c) { return (a ^ b) + c; }>},
    // multiplication
    {"V_MUL_LO_U32", lanes<[](U32 a, U32 b) { return a * b; }>},
    {"V_MUL_LO_I32", lanes<[](U32 a, U32 b) { return a * b; }>},
    {"V_MUL_HI_U32", lanes<[](U32 a, U32 b) { return U32(U64(a) * b >> 32); }>},
    {"V_MUL_HI_I32", lanes<[](I32 a, I32 b) { return I32(I64(a) * b >> 32); }>},
    {"V_MUL_U32_U24", lanes<[](U32 a, U32 b) { return unsigned24(a) * unsigned24(b); }>},
    {"V_MUL_I32_I24", lanes<[](U32 a, U32 b) { return U32(signed24(a)) * U32(signed24(b)); }>},
    {"V_MUL_HI_U32_U24", lanes<[](U32 a, U32 b) { return U32(U64(unsigned24(a)) * unsigned24(b) >> 32); }>},
    {"V_MUL_HI_I32_I24", lanes<[](U32 a, U32 b) { return I32(I64(signed24(a)) * signed24(b) >> 32); }>},
    {"V_MUL_U64", lanes<[](U64 a, U64 b) { return a * b; }>},
    {"V_MAD_U32", lanes<[](U32 a, U32 b, U32 c) { return a * b + c; }>},
    {"V_MAD_U32_U24", lanes<[](U32 a, U32 b, U32 c) { return unsigned24(a) * unsigned24(b) + c; }>, Row::Lanes,
     lanes<[](U32 a, U32 b, U32 c) { return saturateU(U64(unsigned24(a)) * unsigned24(b) + c); }>},
    {"V_MAD_I32_I24", lanes<[](U32 a, U32 b, U32 c) { return U32(signed24(a)) * U32(signed24(b)) + c; }>, Row::Lanes,
     lanes<[](U32 a, U32 b, I32 c) { return saturateI(I64(signed24(a)) * signed24(b) + c); }>},
    {"V_MAD_U64_U32", lanes<[](U32 a, U32 b, U64 c) { U64 p = U64(a) * b; return Carry<U64>{p + c, p + c < p}; }>},
    {"V_MAD_I64_I32", lanes<[](I32 a, I32 b, I64 c) { I64 r; bool o = __builtin_add_overflow(I64(a) * b, c, &r); return Carry<I64>{r, o}; }>},
    {"V_MAD_NC_U64_U32", lanes<[](U32 a, U32 b, U64 c) { return U64(a) * b + c; }>},
    {"V_MAD_NC_I64_I32", lanes<[](I32 a, I32 b, U64 c) { return U64(I64(a) * b) + c; }>},
    // minimum, maximum
    {"V_MIN_U32", lanes<[](U32 a, U32 b) { return minimum(a, b); }>},
    {"V_MAX_U32", lanes<[](U32 a, U32 b) { return maximum(a, b); }>},
    {"V_MIN_I32", lanes<[](I32 a, I32 b) { return minimum(a, b); }>},
    {"V_MAX_I32", lanes<[](I32 a, I32 b) { return maximum(a, b); }>},
    {"V_MIN_U64", lanes<[](U64 a, U64 b) { return minimum(a, b); }>},
    {"V_MAX_U64", lanes<[](U64 a, U64 b) { return maximum(a, b); }>},
    {"V_MIN_I64", lanes<[](I64 a, I64 b) { return minimum(a, b); }>},
    {"V_MAX_I64", lanes<[](I64 a, I64 b) { return maximum(a, b); }>},
    {"V_MIN3_U32", lanes<[](U32 a, U32 b, U32 c) { return minimum(minimum(a, b), c); }>},
    {"V_MAX3_U32", lanes<[](U32 a, U32 b, U32 c) { return maximum(maximum(a, b), c); }>},
    {"V_MIN3_I32", lanes<[](I32 a, I32 b, I32 c) { return minimum(minimum(a, b), c); }>},
    {"V_MAX3_I32", lanes<[](I32 a, I32 b, I32 c) { return maximum(maximum(a, b), c); }>},
    {"V_MED3_U32", lanes<[](U32 a, U32 b, U32 c) { return median(a, b, c); }>},
    {"V_MED3_I32", lanes<[](I32 a, I32 b, I32 c) { return median(a, b, c); }>},
    {"V_MINMAX_U32", lanes<[](U32 a, U32 b, U32 c) { return maximum(minimum(a, b), c); }>},
    {"V_MAXMIN_U32", lanes<[](U32 a, U32 b, U32 c) { return minimum(maximum(a, b), c); }>},
    {"V_MINMAX_I32", lanes<[](I32 a, I32 b, I32 c) { return maximum(minimum(a, b), c); }>},
    {"V_MAXMIN_I32", lanes<[](I32 a, I32 b, I32 c) { return minimum(maximum(a, b), c); }>},
    {"V_ADD_MIN_U32", lanes<[](U32 a, U32 b, U32 c) { return minimum(a + b, c); }>, Row::Lanes, lanes<[](U32 a, U32 b, U32 c) { return minimum(saturateU(U64(a) + b), c); }>},
    {"V_ADD_MAX_U32", lanes<[](U32 a, U32 b, U32 c) { return maximum(a + b, c); }>, Row::Lanes, lanes<[](U32 a, U32 b, U32 c) { return maximum(saturateU(U64(a) + b), c); }>},
    {"V_ADD_MIN_I32", lanes<[](U32 a, U32 b, I32 c) { return minimum(I32(a + b), c); }>, Row::Lanes, lanes<[](I32 a, I32 b, I32 c) { return minimum(saturateI(I64(a) + b), c); }>},
    {"V_ADD_MAX_I32", lanes<[](U32 a, U32 b, I32 c) { return maximum(I32(a + b), c); }>, Row::Lanes, lanes<[](I32 a, I32 b, I32 c) { return maximum(saturateI(I64(a) + b), c); }>},
    // logic
    {"V_AND_B32", lanes<[](U32 a, U32 b) { return a & b; }>},
    {"V_OR_B32", lanes<[](U32 a, U32 b) { return a | b; }>},
    {"V_XOR_B32", lanes<[](U32 a, U32 b) { return a ^ b; }>},
    {"V_XNOR_B32", lanes<[](U32 a, U32 b) { return ~(a ^ b); }>},
    {"V_NOT_B32", lanes<[](U32 a) { return ~a; }>},
    {"V_AND_OR_B32", lanes<[](U32 a, U32 b, U32 c) { return (a & b) | c; }>},
    {"V_OR3_B32", lanes<[](U32 a, U32 b, U32 c) { return a | b | c; }>},
    {"V_XOR3_B32", lanes<[](U32 a, U32 b, U32 c) { return a ^ b ^ c; }>},
    {"V_BFI_B32", lanes<[](U32 a, U32 b, U32 c) { return (a & b) | (~a & c); }>},
    // shifts
    {"V_LSHLREV_B32", lanes<[](U32 a, U32 b) { return b << (a & 31); }>},
    {"V_LSHRREV_B32", lanes<[](U32 a, U32 b) { return b >> (a & 31); }>},
    {"V_ASHRREV_I32", lanes<[](U32 a, I32 b) { return b >> (a & 31); }>},
    {"V_LSHLREV_B64", lanes<[](U32 a, U64 b) { return b << (a & 63); }>},
    {"V_LSHRREV_B64", lanes<[](U32 a, U64 b) { return b >> (a & 63); }>},
    {"V_ASHRREV_I64", lanes<[](U32 a, I64 b) { return b >> (a & 63); }>},
    {"V_LSHL_OR_B32", lanes<[](U32 a, U32 b, U32 c) { return a << (b & 31) | c; }>},
    {"V_ALIGNBIT_B32", lanes<[](U32 a, U32 b, U32 c) { return U32((U64(a) << 32 | b) >> (c & 31)); }>},
    {"V_ALIGNBYTE_B32", lanes<[](U32 a, U32 b, U32 c) { return U32((U64(a) << 32 | b) >> 8 * (c & 3)); }>},
    // bit fields and counts
    {"V_BFE_U32", lanes<[](U32 a, U32 b, U32 c) { return fieldU(a, b, c); }>},
    {"V_BFE_I32", lanes<[](I32 a, U32 b, U32 c) { return fieldI(a, b, c); }>},
    {"V_BFM_B32", lanes<[](U32 a, U32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }>},
    {"V_BFREV_B32", lanes<[](U32 a) { return __builtin_bitreverse32(a); }>},
    {"V_BCNT_U32_B32", lanes<[](U32 a, U32 b) { return U32(std::popcount(a)) + b; }>},
    {"V_FFBH_U32", lanes<[](U32 a) { return a == 0 ? ~0u : U32(std::countl_zero(a)); }>},
    {"V_FFBL_B32", lanes<[](U32 a) { return a == 0 ? ~0u : U32(std::countr_zero(a)); }>},
    {"V_FFBH_I32", lanes<[](I32 a) { U32 u = U32(a < 0 ? ~a : a); return u == 0 ? ~0u : U32(std::countl_zero(u)); }>},
    {"V_PERM_B32", lanes<[](U32 a, U32 b, U32 s) {
       U64 data = U64(a) << 32 | b;
       return permuteByte(data, s) | permuteByte(data, s >> 8) << 8 | permuteByte(data, s >> 16) << 16 | permuteByte(data, s >> 24) << 24; }>},
    // bytes
    {"V_SAD_U8", lanes<[](U32 a, U32 b, U32 c) { return sumBytes(a, b, c, false); }>},
    {"V_MSAD_U8", lanes<[](U32 a, U32 b, U32 c) { return sumBytes(a, b, c, true); }>},
    {"V_SAD_HI_U8", lanes<[](U32 a, U32 b, U32 c) { return (sumBytes(a, b, 0, false) << 16) + c; }>},
    {"V_SAD_U16", lanes<[](U32 a, U32 b, U32 c) { return absoluteDifference(a & 0xffff, b & 0xffff) + absoluteDifference(a >> 16, b >> 16) + c; }>},
    {"V_SAD_U32", lanes<[](U32 a, U32 b, U32 c) { return absoluteDifference(a, b) + c; }>},
    {"V_LERP_U8", lanes<[](U32 a, U32 b, U32 c) { return lerpBytes(a, b, c); }>},
    {"V_DOT4_U32_U8", lanes<dot<8, false>>}, {"V_DOT4_I32_I8", lanes<dot<8, true>>},
    {"V_DOT8_U32_U4", lanes<dot<4, false>>}, {"V_DOT8_I32_I4", lanes<dot<4, true>>},
    {"V_DOT2_U32_U16", lanes<dot<16, false>>}, {"V_DOT2_I32_I16", lanes<dot<16, true>>},
    {"V_DOT4C_I32_I8", lanes<dot<8, true>>}, {"V_DOT8C_I32_I4", lanes<dot<4, true>>},
    {"V_DOT2C_I32_I16", lanes<dot<16, true>>},
};

} // namespace

std::span<const Row> integerRows() { return rows; }

} // namespace fly::emulator
