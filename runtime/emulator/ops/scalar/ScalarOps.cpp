// The integer instructions of the scalar unit: SOP1, SOP2, SOPC, SOPK. SCC is "result is not zero" for logic and
// shifts, carry or overflow for additions; those that leave it alone return a bare value.
#include "runtime/emulator/ops/scalar/Rows.h"
#include "runtime/emulator/lanes/Scalars.h"

namespace fly::emulator {

namespace {

using U32 = uint32_t;
using I32 = int32_t;
using U64 = uint64_t;
using I64 = int64_t;

template <class T> WithScc<T> nonZero(T v) { return {v, v != 0}; }
I32 wrap(I64 v) { return static_cast<I32>(static_cast<U32>(v)); }
WithScc<I32> overflow(I64 v) { return {wrap(v), v != wrap(v)}; }

template <class T> T field(T v, U32 s) {
  constexpr unsigned bits = sizeof(T) * 8;
  unsigned offset = s & (bits - 1), width = s >> 16 & 0x7f;
  using U = std::make_unsigned_t<T>;
  if (width == 0) return 0;
  if (width > bits) width = bits;
  if constexpr (std::is_signed_v<T>) {
    T moved = v >> offset;
    if (width >= bits) return moved;
    unsigned up = bits - width;
    return static_cast<T>(static_cast<U>(moved) << up) >> up;
  } else {
    T moved = v >> offset;
    return width >= bits ? moved : moved & ((T(1) << width) - 1);
  }
}

template <class T> I32 signLeading(T v) { // s_flbit_i32: first bit that differs from the sign
  using U = std::make_unsigned_t<T>;
  U u = static_cast<U>(v < 0 ? ~v : v);
  return u == 0 ? -1 : std::countl_zero(u);
}

U64 spread(U32 v) {
  U64 r = 0;
  for (unsigned b = 0; b < 32; ++b)
    if (v >> b & 1) r |= 3ull << 2 * b;
  return r;
}
template <class T> T wholeQuads(T v) { // s_wqm
  T any = v | v >> 1 | v >> 2 | v >> 3;
  any &= static_cast<T>(0x1111111111111111ull);
  return any * 15;
}
template <class T> T quadMask(T v) {
  T r = 0;
  for (unsigned q = 0; q < sizeof(T) * 2; ++q)
    if (v >> 4 * q & 15) r |= T(1) << q;
  return r;
}

/// Saves EXEC and replaces it: S_AND_SAVEEXEC and similar instructions; the function gets the source and EXEC.
template <class T, auto F> void saveExec(Wave &w, const Inst &i) {
  T source = readScalar<T>(w, i.source[0]);
  T exec = sizeof(T) == 8 ? static_cast<T>(w.exec()) : static_cast<T>(w.scalar[slot::exec]);
  T r = F(source, exec);
  writeScalar<T>(w, i.dst, exec);
  writeScalar<T>(w, slot::exec, r);
  w.setScc(r != 0);
}
/// S_ANDN1_WREXEC: writes the result to the destination and to EXEC.
template <class T, auto F> void writeExec(Wave &w, const Inst &i) {
  T source = readScalar<T>(w, i.source[0]);
  T exec = sizeof(T) == 8 ? static_cast<T>(w.exec()) : static_cast<T>(w.scalar[slot::exec]);
  T r = F(source, exec);
  writeScalar<T>(w, i.dst, r);
  writeScalar<T>(w, slot::exec, r);
  w.setScc(r != 0);
}

constexpr auto opAnd = [](auto a, auto b) { return decltype(a)(a & b); };
constexpr auto opOr = [](auto a, auto b) { return decltype(a)(a | b); };
constexpr auto opXor = [](auto a, auto b) { return decltype(a)(a ^ b); };
constexpr auto opAndNotB = [](auto a, auto b) { return decltype(a)(a & ~b); };
constexpr auto opNotAAnd = [](auto a, auto b) { return decltype(a)(~a & b); };
constexpr auto opOrNotB = [](auto a, auto b) { return decltype(a)(a | ~b); };
constexpr auto opNotAOr = [](auto a, auto b) { return decltype(a)(~a | b); };
constexpr auto opNand = [](auto a, auto b) { return decltype(a)(~(a & b)); };
constexpr auto opNor = [](auto a, auto b) { return decltype(a)(~(a | b)); };
constexpr auto opXnor = [](auto a, auto b) { return decltype(a)(~(a ^ b)); };

#define LOGIC(NAME, OP)                                                                                                \
  {"S_" NAME "_B32", scalar<[](U32 a, U32 b) { return nonZero(OP(a, b)); }>, Row::Other},                              \
  {"S_" NAME "_B64", scalar<[](U64 a, U64 b) { return nonZero(OP(a, b)); }>, Row::Other}
#define SAVE(NAME, OP)                                                                                                 \
  {"S_" NAME "_SAVEEXEC_B32", saveExec<U32, OP>, Row::Other}, {"S_" NAME "_SAVEEXEC_B64", saveExec<U64, OP>, Row::Other}
#define COMPARE(NAME, OP)                                                                                              \
  {"S_CMP_" NAME "_I32", scalar<[](I32 a, I32 b) { return a OP b; }>, Row::Other},                                     \
  {"S_CMP_" NAME "_U32", scalar<[](U32 a, U32 b) { return a OP b; }>, Row::Other},                                     \
  {"S_CMPK_" NAME "_I32", scalar<[](I32 a, I32 b) { return a OP b; }>, Row::Other},                                    \
  {"S_CMPK_" NAME "_U32", scalar<[](U32 a, U32 b) { return a OP b; }>, Row::Other}

// clang-format off
constexpr Row rows[] = {
    // moves
    {"S_MOV_B32", scalar<[](U32 a) { return a; }>, Row::Other},
    {"S_MOV_B64", scalar<[](U64 a) { return a; }>, Row::Other},
    {"S_MOVK_I32", [](Wave &w, const Inst &i) { w.scalar[i.dst] = i.immediate; }, Row::Other},
    {"S_CMOV_B32", [](Wave &w, const Inst &i) { if (w.scc()) writeScalar(w, i.dst, readScalar<U32>(w, i.source[0])); },
     Row::Other},
    {"S_CMOV_B64", [](Wave &w, const Inst &i) { if (w.scc()) writeScalar(w, i.dst, readScalar<U64>(w, i.source[0])); },
     Row::Other},
    {"S_CMOVK_I32", [](Wave &w, const Inst &i) { if (w.scc()) w.scalar[i.dst] = i.immediate; }, Row::Other},
    {"S_CSELECT_B32", scalar<[](SccIn c, U32 a, U32 b) { return c.value ? a : b; }>, Row::Other},
    {"S_CSELECT_B64", scalar<[](SccIn c, U64 a, U64 b) { return c.value ? a : b; }>, Row::Other},
    {"S_SEXT_I32_I8", scalar<[](U32 a) { return static_cast<I32>(static_cast<int8_t>(a)); }>, Row::Other},
    {"S_SEXT_I32_I16", scalar<[](U32 a) { return static_cast<I32>(static_cast<int16_t>(a)); }>, Row::Other},
    {"S_PACK_LL_B32_B16", scalar<[](U32 a, U32 b) { return (a & 0xffff) | b << 16; }>, Row::Other},
    {"S_PACK_LH_B32_B16", scalar<[](U32 a, U32 b) { return (a & 0xffff) | (b & 0xffff0000u); }>, Row::Other},
    {"S_PACK_HH_B32_B16", scalar<[](U32 a, U32 b) { return a >> 16 | (b & 0xffff0000u); }>, Row::Other},
    {"S_PACK_HL_B32_B16", scalar<[](U32 a, U32 b) { return a >> 16 | b << 16; }>, Row::Other},
    // arithmetic
    {"S_ADD_U32", scalar<[](U32 a, U32 b) { return WithScc<U32>{a + b, a + b < a}; }>, Row::Other},
    {"S_SUB_U32", scalar<[](U32 a, U32 b) { return WithScc<U32>{a - b, b > a}; }>, Row::Other},
    {"S_ADDC_U32", scalar<[](SccIn c, U32 a, U32 b) {
       U64 s = U64(a) + b + c.value; return WithScc<U32>{U32(s), s >> 32 != 0}; }>, Row::Other},
    {"S_SUBB_U32", scalar<[](SccIn c, U32 a, U32 b) { return WithScc<U32>{a - b - c.value, U64(b) + c.value > a}; }>,
     Row::Other},
    {"S_ADD_I32", scalar<[](I32 a, I32 b) { return overflow(I64(a) + b); }>, Row::Other},
    {"S_SUB_I32", scalar<[](I32 a, I32 b) { return overflow(I64(a) - b); }>, Row::Other},
    {"S_ADD_U64", scalar<[](U64 a, U64 b) { return a + b; }>, Row::Other},
    {"S_SUB_U64", scalar<[](U64 a, U64 b) { return a - b; }>, Row::Other},
    {"S_MUL_U64", scalar<[](U64 a, U64 b) { return a * b; }>, Row::Other},
    {"S_MUL_I32", scalar<[](U32 a, U32 b) { return a * b; }>, Row::Other},
    {"S_MUL_HI_U32", scalar<[](U32 a, U32 b) { return U32(U64(a) * b >> 32); }>, Row::Other},
    {"S_MUL_HI_I32", scalar<[](I32 a, I32 b) { return I32(I64(a) * b >> 32); }>, Row::Other},
    {"S_ADDK_I32", [](Wave &w, const Inst &i) {
       auto r = overflow(I64(I32(w.scalar[i.dst])) + I32(i.immediate));
       w.scalar[i.dst] = U32(r.value);
       w.setScc(r.scc); }, Row::Other},
    {"S_MULK_I32", [](Wave &w, const Inst &i) { w.scalar[i.dst] *= i.immediate; }, Row::Other},
    {"S_MIN_I32", scalar<[](I32 a, I32 b) { return WithScc<I32>{a < b ? a : b, a < b}; }>, Row::Other},
    {"S_MIN_U32", scalar<[](U32 a, U32 b) { return WithScc<U32>{a < b ? a : b, a < b}; }>, Row::Other},
    {"S_MAX_I32", scalar<[](I32 a, I32 b) { return WithScc<I32>{a > b ? a : b, a >= b}; }>, Row::Other},
    {"S_MAX_U32", scalar<[](U32 a, U32 b) { return WithScc<U32>{a > b ? a : b, a >= b}; }>, Row::Other},
    {"S_ABS_I32", scalar<[](I32 a) { return nonZero(a < 0 ? wrap(-I64(a)) : a); }>, Row::Other},
    {"S_ABSDIFF_I32", scalar<[](I32 a, I32 b) {
       I32 d = wrap(I64(a) - b); return nonZero(d < 0 ? wrap(-I64(d)) : d); }>, Row::Other},
    {"S_LSHL1_ADD_U32", scalar<[](U32 a, U32 b) {
       U64 s = (U64(a) << 1) + b; return WithScc<U32>{U32(s), s >> 32 != 0}; }>, Row::Other},
    {"S_LSHL2_ADD_U32", scalar<[](U32 a, U32 b) {
       U64 s = (U64(a) << 2) + b; return WithScc<U32>{U32(s), s >> 32 != 0}; }>, Row::Other},
    {"S_LSHL3_ADD_U32", scalar<[](U32 a, U32 b) {
       U64 s = (U64(a) << 3) + b; return WithScc<U32>{U32(s), s >> 32 != 0}; }>, Row::Other},
    {"S_LSHL4_ADD_U32", scalar<[](U32 a, U32 b) {
       U64 s = (U64(a) << 4) + b; return WithScc<U32>{U32(s), s >> 32 != 0}; }>, Row::Other},
    // logic
    LOGIC("AND", opAnd), LOGIC("OR", opOr), LOGIC("XOR", opXor), LOGIC("ANDN2", opAndNotB), LOGIC("ORN2", opOrNotB),
    LOGIC("NAND", opNand), LOGIC("NOR", opNor), LOGIC("XNOR", opXnor),
    {"S_NOT_B32", scalar<[](U32 a) { return nonZero(~a); }>, Row::Other},
    {"S_NOT_B64", scalar<[](U64 a) { return nonZero(~a); }>, Row::Other},
    SAVE("AND", opAnd), SAVE("OR", opOr), SAVE("XOR", opXor), SAVE("ANDN2", opAndNotB), SAVE("ORN2", opOrNotB),
    SAVE("NAND", opNand), SAVE("NOR", opNor), SAVE("XNOR", opXnor), SAVE("ANDN1", opNotAAnd), SAVE("ORN1", opNotAOr),
    {"S_ANDN1_WREXEC_B32", writeExec<U32, opNotAAnd>, Row::Other},
    {"S_ANDN1_WREXEC_B64", writeExec<U64, opNotAAnd>, Row::Other},
    {"S_ANDN2_WREXEC_B32", writeExec<U32, opAndNotB>, Row::Other},
    {"S_ANDN2_WREXEC_B64", writeExec<U64, opAndNotB>, Row::Other},
    {"S_WQM_B32", scalar<[](U32 a) { return nonZero(wholeQuads(a)); }>, Row::Other},
    {"S_WQM_B64", scalar<[](U64 a) { return nonZero(wholeQuads(a)); }>, Row::Other},
    {"S_QUADMASK_B32", scalar<[](U32 a) { return nonZero(quadMask(a)); }>, Row::Other},
    {"S_QUADMASK_B64", scalar<[](U64 a) { return nonZero(quadMask(a)); }>, Row::Other},
    {"S_BITREPLICATE_B64_B32", scalar<[](U32 a) { return spread(a); }>, Row::Other},
    // shifts and bit fields
    {"S_LSHL_B32", scalar<[](U32 a, U32 b) { return nonZero(a << (b & 31)); }>, Row::Other},
    {"S_LSHL_B64", scalar<[](U64 a, U32 b) { return nonZero(a << (b & 63)); }>, Row::Other},
    {"S_LSHR_B32", scalar<[](U32 a, U32 b) { return nonZero(a >> (b & 31)); }>, Row::Other},
    {"S_LSHR_B64", scalar<[](U64 a, U32 b) { return nonZero(a >> (b & 63)); }>, Row::Other},
    {"S_ASHR_I32", scalar<[](I32 a, U32 b) { return nonZero(a >> (b & 31)); }>, Row::Other},
    {"S_ASHR_I64", scalar<[](I64 a, U32 b) { return nonZero(a >> (b & 63)); }>, Row::Other},
    {"S_BFM_B32", scalar<[](U32 a, U32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }>, Row::Other},
    {"S_BFM_B64", scalar<[](U32 a, U32 b) { return ((1ull << (a & 63)) - 1) << (b & 63); }>, Row::Other},
    {"S_BFE_U32", scalar<[](U32 a, U32 b) { return nonZero(field(a, b)); }>, Row::Other},
    {"S_BFE_I32", scalar<[](I32 a, U32 b) { return nonZero(field(a, b)); }>, Row::Other},
    {"S_BFE_U64", scalar<[](U64 a, U32 b) { return nonZero(field(a, b)); }>, Row::Other},
    {"S_BFE_I64", scalar<[](I64 a, U32 b) { return nonZero(field(a, b)); }>, Row::Other},
    {"S_BITSET0_B32", scalar<[](Old<U32> d, U32 a) { return d.value & ~(1u << (a & 31)); }>, Row::Other},
    {"S_BITSET0_B64", scalar<[](Old<U64> d, U32 a) { return d.value & ~(1ull << (a & 63)); }>, Row::Other},
    {"S_BITSET1_B32", scalar<[](Old<U32> d, U32 a) { return d.value | 1u << (a & 31); }>, Row::Other},
    {"S_BITSET1_B64", scalar<[](Old<U64> d, U32 a) { return d.value | 1ull << (a & 63); }>, Row::Other},
    {"S_BREV_B32", scalar<[](U32 a) { return __builtin_bitreverse32(a); }>, Row::Other},
    {"S_BREV_B64", scalar<[](U64 a) { return __builtin_bitreverse64(a); }>, Row::Other},
    {"S_BCNT0_I32_B32", scalar<[](U32 a) { return nonZero(U32(std::popcount(~a))); }>, Row::Other},
    {"S_BCNT0_I32_B64", scalar<[](U64 a) { return nonZero(U32(std::popcount(~a))); }>, Row::Other},
    {"S_BCNT1_I32_B32", scalar<[](U32 a) { return nonZero(U32(std::popcount(a))); }>, Row::Other},
    {"S_BCNT1_I32_B64", scalar<[](U64 a) { return nonZero(U32(std::popcount(a))); }>, Row::Other},
    {"S_FF0_I32_B32", scalar<[](U32 a) { return ~a == 0 ? -1 : I32(std::countr_one(a)); }>, Row::Other},
    {"S_FF0_I32_B64", scalar<[](U64 a) { return ~a == 0 ? -1 : I32(std::countr_one(a)); }>, Row::Other},
    {"S_FF1_I32_B32", scalar<[](U32 a) { return a == 0 ? -1 : I32(std::countr_zero(a)); }>, Row::Other},
    {"S_FF1_I32_B64", scalar<[](U64 a) { return a == 0 ? -1 : I32(std::countr_zero(a)); }>, Row::Other},
    {"S_FLBIT_I32_B32", scalar<[](U32 a) { return a == 0 ? -1 : I32(std::countl_zero(a)); }>, Row::Other},
    {"S_FLBIT_I32_B64", scalar<[](U64 a) { return a == 0 ? -1 : I32(std::countl_zero(a)); }>, Row::Other},
    {"S_FLBIT_I32", scalar<[](I32 a) { return signLeading(a); }>, Row::Other},
    {"S_FLBIT_I32_I64", scalar<[](I64 a) { return signLeading(a); }>, Row::Other},
    // comparisons
    COMPARE("EQ", ==), COMPARE("LG", !=), COMPARE("GT", >), COMPARE("GE", >=), COMPARE("LT", <), COMPARE("LE", <=),
    {"S_CMP_EQ_U64", scalar<[](U64 a, U64 b) { return a == b; }>, Row::Other},
    {"S_CMP_LG_U64", scalar<[](U64 a, U64 b) { return a != b; }>, Row::Other},
    {"S_BITCMP0_B32", scalar<[](U32 a, U32 b) { return (a >> (b & 31) & 1) == 0; }>, Row::Other},
    {"S_BITCMP1_B32", scalar<[](U32 a, U32 b) { return (a >> (b & 31) & 1) == 1; }>, Row::Other},
    {"S_BITCMP0_B64", scalar<[](U64 a, U32 b) { return (a >> (b & 63) & 1) == 0; }>, Row::Other},
    {"S_BITCMP1_B64", scalar<[](U64 a, U32 b) { return (a >> (b & 63) & 1) == 1; }>, Row::Other},
};
// clang-format on

} // namespace

std::span<const Row> scalarRows() { return rows; }

} // namespace fly::emulator
