// VOPC: comparisons of the vector unit and class tests. A result has one bit per lane, 0 where EXEC is 0. v_cmpx writes
// EXEC too (gfx9), or only (gfx12: then Sdst is EXEC).
#include "runtime/emulator/ops/vector/Rows.h"
#include "runtime/emulator/lanes/FloatMath.h"

#include <cmath>

namespace fly::emulator {

namespace {

/// Bits: signalling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
/// It tests the original bits: denormals are not flushed, regardless of MODE (LLVM selects it for llvm.is.fpclass).
template <class F> bool inClass(typename FloatBits<F>::U bits, uint32_t mask) {
  F v = std::bit_cast<F>(bits);
  unsigned bit;
  if (v != v) bit = isSignalling(v) ? 0 : 1;
  else {
    unsigned kind = std::isinf(v) ? 0 : v == 0 ? 3 : isDenormal(v) ? 2 : 1; // distance from infinity
    bit = isNegative(v) ? 2 + kind : 9 - kind;
  }
  return mask >> bit & 1;
}
bool halfInClass(uint32_t h, uint32_t mask) {
  uint32_t exponent = h >> 10 & 31, mantissa = h & 0x3ff;
  bool negative = h & 0x8000;
  unsigned bit;
  if (exponent == 31 && mantissa) bit = mantissa & 0x200 ? 1 : 0;
  else {
    unsigned kind = exponent == 31 ? 0 : exponent ? 1 : mantissa ? 2 : 3;
    bit = negative ? 2 + kind : 9 - kind;
  }
  return mask >> bit & 1;
}

#define ROW(NAME, FUNCTION) {"V_CMP_" NAME, lanes<FUNCTION>}, {"V_CMPX_" NAME, lanes<FUNCTION, true>}
#define INTEGER(SUFFIX, T)                                                                                             \
  ROW("F_" SUFFIX, ([](T, T) { return false; })), ROW("LT_" SUFFIX, ([](T a, T b) { return a < b; })),                 \
      ROW("EQ_" SUFFIX, ([](T a, T b) { return a == b; })), ROW("LE_" SUFFIX, ([](T a, T b) { return a <= b; })),      \
      ROW("GT_" SUFFIX, ([](T a, T b) { return a > b; })), ROW("NE_" SUFFIX, ([](T a, T b) { return a != b; })),       \
      ROW("GE_" SUFFIX, ([](T a, T b) { return a >= b; })), ROW("T_" SUFFIX, ([](T, T) { return true; }))
#define FLOATING(SUFFIX, T, V)                                                                                         \
  ROW("F_" SUFFIX, ([](T, T) { return false; })), ROW("LT_" SUFFIX, ([](T a, T b) { return V(a) < V(b); })),           \
      ROW("EQ_" SUFFIX, ([](T a, T b) { return V(a) == V(b); })),                                                      \
      ROW("LE_" SUFFIX, ([](T a, T b) { return V(a) <= V(b); })),                                                      \
      ROW("GT_" SUFFIX, ([](T a, T b) { return V(a) > V(b); })),                                                       \
      ROW("LG_" SUFFIX, ([](T a, T b) { return V(a) < V(b) || V(a) > V(b); })),                                        \
      ROW("GE_" SUFFIX, ([](T a, T b) { return V(a) >= V(b); })),                                                      \
      ROW("O_" SUFFIX, ([](T a, T b) { return V(a) == V(a) && V(b) == V(b); })),                                       \
      ROW("U_" SUFFIX, ([](T a, T b) { return V(a) != V(a) || V(b) != V(b); })),                                       \
      ROW("NGE_" SUFFIX, ([](T a, T b) { return !(V(a) >= V(b)); })),                                                  \
      ROW("NLG_" SUFFIX, ([](T a, T b) { return !(V(a) < V(b) || V(a) > V(b)); })),                                    \
      ROW("NGT_" SUFFIX, ([](T a, T b) { return !(V(a) > V(b)); })),                                                   \
      ROW("NLE_" SUFFIX, ([](T a, T b) { return !(V(a) <= V(b)); })),                                                  \
      ROW("NEQ_" SUFFIX, ([](T a, T b) { return !(V(a) == V(b)); })),                                                  \
      ROW("NLT_" SUFFIX, ([](T a, T b) { return !(V(a) < V(b)); })),                                                   \
      ROW("TRU_" SUFFIX, ([](T, T) { return true; }))
#define IDENTITY(a) (a)
#define VALUE(a) (a).value

// clang-format off
constexpr Row rows[] = {
    INTEGER("I16", int16_t), INTEGER("U16", uint16_t), INTEGER("I32", int32_t), INTEGER("U32", uint32_t),
    INTEGER("I64", int64_t), INTEGER("U64", uint64_t),
    FLOATING("F16", Half, VALUE), FLOATING("F32", float, IDENTITY), FLOATING("F64", double, IDENTITY),
    ROW("CLASS_F32", ([](uint32_t a, uint32_t m) { return inClass<float>(a, m); })),
    ROW("CLASS_F64", ([](uint64_t a, uint32_t m) { return inClass<double>(a, m); })),
    ROW("CLASS_F16", ([](uint16_t a, uint32_t m) { return halfInClass(a, m); })),
};
// clang-format on

} // namespace

std::span<const Row> compareRows() { return rows; }

} // namespace fly::emulator
