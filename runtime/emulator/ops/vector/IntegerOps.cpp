// Integer arithmetic, logic, shifts and bit fields of the vector unit, 32 and 64 bits.
#include "runtime/emulator/ops/vector/Rows.h"
#include "runtime/emulator/lanes/Lanes.h"

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
template <unsigned Bits> I64 signedDot(U32 a, U32 b, U32 c) { // v_dot4, v_dot8, exact
  I64 sum = I32(c);
  for (unsigned k = 0; k < 32; k += Bits)
    sum += (I32(a << (32 - Bits - k)) >> (32 - Bits)) * (I32(b << (32 - Bits - k)) >> (32 - Bits));
  return sum;
}
template <unsigned Bits> U64 unsignedDot(U32 a, U32 b, U32 c) {
  U64 sum = c;
  for (unsigned k = 0; k < 32; k += Bits) sum += (a >> k & ((1u << Bits) - 1)) * (b >> k & ((1u << Bits) - 1));
  return sum;
}
#define DOT(NAME, EXACT, SATURATE)                                                                                     \
  {NAME, lanes<[](U32 a, U32 b, U32 c) { return U32(EXACT(a, b, c)); }>, Row::Lanes,                                   \
   lanes<[](U32 a, U32 b, U32 c) { return SATURATE(EXACT(a, b, c)); }>}
U64 differences16(U32 a, U32 b) {
  return U64(absoluteDifference(a & 0xffff, b & 0xffff)) + absoluteDifference(a >> 16, b >> 16);
}
/// A row whose exact result fits in 64 bits: truncated, or saturated with clamp.
#define SATURATING(NAME, EXPRESSION)                                                                                   \
  {NAME, lanes<[](U32 a, U32 b, U32 c) { return U32(EXPRESSION); }>, Row::Lanes,                                       \
   lanes<[](U32 a, U32 b, U32 c) { return saturateU(EXPRESSION); }>}

/// Sums with carry; with clamp the value saturates, the carry is the same.
template <bool Clamped> Carry<U32> addCarry(U32 a, U32 b, bool c) {
  U32 s = a + b, t = s + c;
  bool over = s < a || t < s;
  return {Clamped && over ? ~0u : t, over};
}
template <bool Clamped> Carry<U32> subCarry(U32 a, U32 b, bool c) {
  bool under = b > a || (b == a && c);
  return {Clamped && under ? 0u : a - b - c, under};
}
template <bool Clamped> Carry<U64> madUnsigned(U32 a, U32 b, U64 c) {
  U64 p = U64(a) * b, r = p + c;
  return {Clamped && r < p ? ~0ull : r, r < p};
}
/// The carry is bit 64 of the sum, its sign (AMD's pseudocode).
template <bool Clamped> Carry<I64> madSigned(I32 a, I32 b, I64 c) {
  I64 r;
  bool over = __builtin_add_overflow(I64(a) * b, c, &r);
  return {Clamped && over ? (c < 0 ? INT64_MIN : INT64_MAX) : r, over ? c < 0 : r < 0};
}

// The sum saturates whatever the clamp bit says (llvm-project pull request 164881).
constexpr auto addMinU = [](U32 a, U32 b, U32 c) { return minimum(saturateU(U64(a) + b), c); };
constexpr auto addMinI = [](I32 a, I32 b, I32 c) { return minimum(saturateI(I64(a) + b), c); };
constexpr auto addMaxU = [](U32 a, U32 b, U32 c) { return maximum(saturateU(U64(a) + b), c); };
constexpr auto addMaxI = [](I32 a, I32 b, I32 c) { return maximum(saturateI(I64(a) + b), c); };

/// CDNA5 takes a shift by more than four for none (CDNA5 ISA, 15.14).
void shiftAdd64(Wave &w, const Inst &i) {
  if (w.program->arch.cdna5Arithmetic)
    return lanes<[](U64 a, U32 b, U64 c) { return ((b & 7) > 4 ? a : a << (b & 7)) + c; }>(w, i);
  lanes<[](U64 a, U32 b, U64 c) { return (a << (b & 7)) + c; }>(w, i);
}
// clamp of signed results: nothing negative (CDNA5 ISA, 15.14)
constexpr auto addMinIr = [](I32 a, I32 b, I32 c) { return maximum(addMinI(a, b, c), 0); };
constexpr auto addMaxIr = [](I32 a, I32 b, I32 c) { return maximum(addMaxI(a, b, c), 0); };

// clang-format off
constexpr Row rows[] = {
    // addition. v_add_u32 with clamp saturates; the forms with carry write Sdst
    {"V_ADD_U32", lanes<[](U32 a, U32 b) { return a + b; }>, Row::Lanes,
     lanes<[](U32 a, U32 b) { return saturateU(U64(a) + b); }>},
    {"V_SUB_U32", lanes<[](U32 a, U32 b) { return a - b; }>, Row::Lanes,
     lanes<[](U32 a, U32 b) { return a < b ? 0u : a - b; }>},
    {"V_SUBREV_U32", lanes<[](U32 a, U32 b) { return b - a; }>, Row::Lanes,
     lanes<[](U32 a, U32 b) { return b < a ? 0u : b - a; }>},
    {"V_ADD_I32", lanes<[](U32 a, U32 b) { return a + b; }>, Row::Lanes,
     lanes<[](I32 a, I32 b) { return saturateI(I64(a) + b); }>},
    {"V_SUB_I32", lanes<[](U32 a, U32 b) { return a - b; }>, Row::Lanes,
     lanes<[](I32 a, I32 b) { return saturateI(I64(a) - b); }>},
    {"V_ADD_CO_U32", lanes<[](U32 a, U32 b) { return addCarry<false>(a, b, false); }>, Row::Lanes,
     lanes<[](U32 a, U32 b) { return addCarry<true>(a, b, false); }>},
    {"V_SUB_CO_U32", lanes<[](U32 a, U32 b) { return subCarry<false>(a, b, false); }>, Row::Lanes,
     lanes<[](U32 a, U32 b) { return subCarry<true>(a, b, false); }>},
    {"V_SUBREV_CO_U32", lanes<[](U32 a, U32 b) { return subCarry<false>(b, a, false); }>, Row::Lanes,
     lanes<[](U32 a, U32 b) { return subCarry<true>(b, a, false); }>},
    {"V_ADDC_CO_U32", lanes<addCarry<false>>, Row::Lanes, lanes<addCarry<true>>},
    {"V_SUBB_CO_U32", lanes<subCarry<false>>, Row::Lanes, lanes<subCarry<true>>},
    {"V_SUBBREV_CO_U32", lanes<[](U32 a, U32 b, bool c) { return subCarry<false>(b, a, c); }>, Row::Lanes,
     lanes<[](U32 a, U32 b, bool c) { return subCarry<true>(b, a, c); }>},
    {"V_ADD_U64", lanes<[](U64 a, U64 b) { return a + b; }>},
    {"V_SUB_U64", lanes<[](U64 a, U64 b) { return a - b; }>},
    {"V_ADD3_U32", lanes<[](U32 a, U32 b, U32 c) { return a + b + c; }>},
    {"V_LSHL_ADD_U32", lanes<[](U32 a, U32 b, U32 c) { return (a << (b & 31)) + c; }>},
    {"V_LSHL_ADD_U64", shiftAdd64},
    {"V_ADD_LSHL_U32", lanes<[](U32 a, U32 b, U32 c) { return (a + b) << (c & 31); }>},
    {"V_XAD_U32", lanes<[](U32 a, U32 b, U32 c) { return (a ^ b) + c; }>},
    // multiplication
    {"V_MUL_LO_U32", lanes<[](U32 a, U32 b) { return a * b; }>},
    {"V_MUL_LO_I32", lanes<[](U32 a, U32 b) { return a * b; }>},
    {"V_MUL_HI_U32", lanes<[](U32 a, U32 b) { return U32(U64(a) * b >> 32); }>},
    {"V_MUL_HI_I32", lanes<[](I32 a, I32 b) { return I32(I64(a) * b >> 32); }>},
    {"V_MUL_U32_U24", lanes<[](U32 a, U32 b) { return unsigned24(a) * unsigned24(b); }>, Row::Lanes,
     lanes<[](U32 a, U32 b) { return saturateU(U64(unsigned24(a)) * unsigned24(b)); }>},
    {"V_MUL_I32_I24", lanes<[](U32 a, U32 b) { return U32(signed24(a)) * U32(signed24(b)); }>, Row::Lanes,
     lanes<[](U32 a, U32 b) { return saturateI(I64(signed24(a)) * signed24(b)); }>},
    {"V_MUL_HI_U32_U24", lanes<[](U32 a, U32 b) { return U32(U64(unsigned24(a)) * unsigned24(b) >> 32); }>},
    {"V_MUL_HI_I32_I24", lanes<[](U32 a, U32 b) { return I32(I64(signed24(a)) * signed24(b) >> 32); }>},
    {"V_MUL_U64", lanes<[](U64 a, U64 b) { return a * b; }>},
    {"V_MAD_U32", lanes<[](U32 a, U32 b, U32 c) { return a * b + c; }>},
    {"V_MAD_U32_U24", lanes<[](U32 a, U32 b, U32 c) { return unsigned24(a) * unsigned24(b) + c; }>, Row::Lanes,
     lanes<[](U32 a, U32 b, U32 c) { return saturateU(U64(unsigned24(a)) * unsigned24(b) + c); }>},
    {"V_MAD_I32_I24", lanes<[](U32 a, U32 b, U32 c) { return U32(signed24(a)) * U32(signed24(b)) + c; }>, Row::Lanes,
     lanes<[](U32 a, U32 b, I32 c) { return saturateI(I64(signed24(a)) * signed24(b) + c); }>},
    {"V_MAD_U64_U32", lanes<madUnsigned<false>>, Row::Lanes, lanes<madUnsigned<true>>},
    {"V_MAD_I64_I32", lanes<madSigned<false>>, Row::Lanes, lanes<madSigned<true>>},
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
    {"V_ADD_MIN_U32", lanes<addMinU>, Row::Lanes, lanes<addMinU>},
    {"V_ADD_MAX_U32", lanes<addMaxU>, Row::Lanes, lanes<addMaxU>},
    {"V_ADD_MIN_I32", lanes<addMinI>, Row::Lanes, lanes<addMinIr>},
    {"V_ADD_MAX_I32", lanes<addMaxI>, Row::Lanes, lanes<addMaxIr>},
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
       return permuteByte(data, s) | permuteByte(data, s >> 8) << 8 | permuteByte(data,
        s >> 16) << 16 | permuteByte(data, s >> 24) << 24; }>},
    // bytes
    SATURATING("V_SAD_U8", U64(sumBytes(a, b, 0, false)) + c),
    SATURATING("V_MSAD_U8", U64(sumBytes(a, b, 0, true)) + c),
    SATURATING("V_SAD_HI_U8", (U64(sumBytes(a, b, 0, false)) << 16) + c),
    SATURATING("V_SAD_U16", differences16(a, b) + c), SATURATING("V_SAD_U32", U64(absoluteDifference(a, b)) + c),
    {"V_LERP_U8", lanes<[](U32 a, U32 b, U32 c) { return lerpBytes(a, b, c); }>},
    DOT("V_DOT4_U32_U8", unsignedDot<8>, saturateU), DOT("V_DOT4_I32_I8", signedDot<8>, saturateI),
    DOT("V_DOT8_U32_U4", unsignedDot<4>, saturateU), DOT("V_DOT8_I32_I4", signedDot<4>, saturateI),
    DOT("V_DOT4C_I32_I8", signedDot<8>, saturateI), DOT("V_DOT8C_I32_I4", signedDot<4>, saturateI),
    DOT("V_DOT2C_I32_I16", signedDot<16>, saturateI),
};
// clang-format on

} // namespace

std::span<const Row> integerRows() { return rows; }

} // namespace fly::emulator
