// 16-bit integers of the vector unit, one and two to a register.
#include "runtime/emulator/ops/vector/Rows.h"
#include "runtime/emulator/lanes/Lanes.h"

namespace fly::emulator {

namespace {

using U16 = uint16_t;
using I16 = int16_t;
using U32 = uint32_t;
using I32 = int32_t;

U16 saturateU(I32 v) { return v < 0 ? 0 : v > 0xffff ? 0xffff : U16(v); }
I16 saturateI(I32 v) { return v < -0x8000 ? -0x8000 : v > 0x7fff ? 0x7fff : I16(v); }
template <class T> T minimum(T a, T b) { return a < b ? a : b; }
template <class T> T maximum(T a, T b) { return a > b ? a : b; }
template <class T> T median(T a, T b, T c) { return maximum(minimum(a, b), minimum(maximum(a, b), c)); }

// One function, four rows' worth: the plain and the saturating form, of one lane and of a packed pair.
#define BOTH_CLAMP(NAME, FUNCTION, SATURATED)                                                                          \
  {"V_" NAME, lanes<FUNCTION>, Row::Lanes, lanes<SATURATED>},                                                          \
  {"V_PK_" NAME, packed<FUNCTION>, Row::Lanes, packed<SATURATED>}
#define BOTH(NAME, FUNCTION) BOTH_CLAMP(NAME, FUNCTION, FUNCTION) // clamp can be encoded and changes nothing

constexpr auto addU = [](U16 a, U16 b) { return U16(a + b); };
constexpr auto addUs = [](U16 a, U16 b) { return saturateU(a + b); };
constexpr auto addI = [](I16 a, I16 b) { return I16(a + b); };
constexpr auto addIs = [](I16 a, I16 b) { return saturateI(a + b); };
constexpr auto subU = [](U16 a, U16 b) { return U16(a - b); };
constexpr auto subUs = [](U16 a, U16 b) { return saturateU(a - b); };
constexpr auto subI = [](I16 a, I16 b) { return I16(a - b); };
constexpr auto subIs = [](I16 a, I16 b) { return saturateI(a - b); };
constexpr auto subrevU = [](U16 a, U16 b) { return U16(b - a); };
constexpr auto subrevUs = [](U16 a, U16 b) { return saturateU(b - a); };
constexpr auto mulU = [](U16 a, U16 b) { return U16(U32(a) * b); };
constexpr auto mulUs = [](U16 a, U16 b) {
  U32 r = U32(a) * b;
  return U16(r > 0xffff ? 0xffff : r);
};
constexpr auto madU = [](U16 a, U16 b, U16 c) { return U16(U32(a) * b + c); };
constexpr auto madUs = [](U16 a, U16 b, U16 c) {
  U32 r = U32(a) * b;
  return U16(r > 0xffffu - c ? 0xffff : r + c);
};
constexpr auto madI = [](I16 a, I16 b, I16 c) { return I16(I32(a) * b + c); };
constexpr auto madIs = [](I16 a, I16 b, I16 c) { return saturateI(I32(a) * b + c); };
constexpr auto shl = [](U16 a, U16 b) { return U16(b << (a & 15)); };
constexpr auto shr = [](U16 a, U16 b) { return U16(b >> (a & 15)); };
constexpr auto sar = [](U16 a, I16 b) { return I16(b >> (a & 15)); };
constexpr auto minU = [](U16 a, U16 b) { return minimum(a, b); };
constexpr auto maxU = [](U16 a, U16 b) { return maximum(a, b); };
constexpr auto minI = [](I16 a, I16 b) { return minimum(a, b); };
constexpr auto maxI = [](I16 a, I16 b) { return maximum(a, b); };
constexpr auto min3U = [](U16 a, U16 b, U16 c) { return minimum(minimum(a, b), c); };
constexpr auto max3U = [](U16 a, U16 b, U16 c) { return maximum(maximum(a, b), c); };
constexpr auto min3I = [](I16 a, I16 b, I16 c) { return minimum(minimum(a, b), c); };
constexpr auto max3I = [](I16 a, I16 b, I16 c) { return maximum(maximum(a, b), c); };
// The sum saturates whatever the clamp bit says (llvm-project pull request 164881).
constexpr auto addMinU = [](U16 a, U16 b, U16 c) { return minimum(addUs(a, b), c); };
constexpr auto addMaxU = [](U16 a, U16 b, U16 c) { return maximum(addUs(a, b), c); };
constexpr auto addMinI = [](I16 a, I16 b, I16 c) { return minimum(addIs(a, b), c); };
constexpr auto addMaxI = [](I16 a, I16 b, I16 c) { return maximum(addIs(a, b), c); };
// clamp of the packed three-operand instructions on signed numbers: nothing negative (CDNA5 ISA, 7.7)
template <auto Function> constexpr auto relu = [](I16 a, I16 b, I16 c) { return maximum(Function(a, b, c), I16(0)); };

// clang-format off
constexpr Row rows[] = {
    BOTH_CLAMP("ADD_U16", addU, addUs), BOTH_CLAMP("ADD_I16", addI, addIs), BOTH_CLAMP("SUB_U16", subU, subUs),
    BOTH_CLAMP("SUB_I16", subI, subIs), BOTH_CLAMP("MAD_U16", madU, madUs), BOTH_CLAMP("MAD_I16", madI, madIs),
    {"V_ADD_NC_U16", lanes<addU>, Row::Lanes, lanes<addUs>}, {"V_SUB_NC_U16", lanes<subU>, Row::Lanes, lanes<subUs>},
    {"V_ADD_NC_I16", lanes<addI>, Row::Lanes, lanes<addIs>}, {"V_SUB_NC_I16", lanes<subI>, Row::Lanes, lanes<subIs>},
    {"V_SUBREV_U16", lanes<subrevU>, Row::Lanes, lanes<subrevUs>},
    BOTH_CLAMP("MUL_LO_U16", mulU, mulUs), BOTH("LSHLREV_B16", shl), BOTH("LSHRREV_B16", shr), BOTH("ASHRREV_I16", sar),
    BOTH("MIN_U16", minU), BOTH("MAX_U16", maxU), BOTH("MIN_I16", minI), BOTH("MAX_I16", maxI),
    BOTH("MIN3_U16", min3U), BOTH("MAX3_U16", max3U),
    {"V_MIN3_I16", lanes<min3I>, Row::Lanes, lanes<min3I>}, {"V_MAX3_I16", lanes<max3I>, Row::Lanes, lanes<max3I>},
    {"V_PK_MIN3_I16", packed<min3I>, Row::Lanes, packed<relu<min3I>>},
    {"V_PK_MAX3_I16", packed<max3I>, Row::Lanes, packed<relu<max3I>>},
    {"V_PK_ADD_MIN_U16", packed<addMinU>, Row::Lanes, packed<addMinU>},
    {"V_PK_ADD_MAX_U16", packed<addMaxU>, Row::Lanes, packed<addMaxU>},
    {"V_PK_ADD_MIN_I16", packed<addMinI>, Row::Lanes, packed<relu<addMinI>>},
    {"V_PK_ADD_MAX_I16", packed<addMaxI>, Row::Lanes, packed<relu<addMaxI>>},
    Row{"V_MAD_LEGACY_U16", lanes<madU>, Row::Lanes, lanes<madUs>}.with(Row::ClearsHigh),
    Row{"V_MAD_LEGACY_I16", lanes<madI>, Row::Lanes, lanes<madIs>}.with(Row::ClearsHigh),
    {"V_MED3_U16", lanes<[](U16 a, U16 b, U16 c) { return median(a, b, c); }>},
    {"V_MED3_I16", lanes<[](I16 a, I16 b, I16 c) { return median(a, b, c); }>},
    {"V_MAD_U32_U16", lanes<[](U16 a, U16 b, U32 c) { return U32(a) * b + c; }>, Row::Lanes,
     lanes<[](U16 a, U16 b, U32 c) { uint64_t r = uint64_t(a) * b + c; return r > 0xffffffff ? ~0u : U32(r); }>},
    {"V_MAD_I32_I16", lanes<[](I16 a, I16 b, U32 c) { return U32(I32(a) * b) + c; }>, Row::Lanes,
     lanes<[](I16 a, I16 b, I32 c) {
       int64_t r = int64_t(a) * b + c;
       return I32(r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : r); }>},
    {"V_AND_B16", lanes<[](U16 a, U16 b) { return U16(a & b); }>},
    {"V_OR_B16", lanes<[](U16 a, U16 b) { return U16(a | b); }>},
    {"V_XOR_B16", lanes<[](U16 a, U16 b) { return U16(a ^ b); }>},
    {"V_NOT_B16", lanes<[](U16 a) { return U16(~a); }>},
    {"V_CVT_I32_I16", lanes<[](I16 a) { return I32(a); }>},
    {"V_CVT_U32_U16", lanes<[](U16 a) { return U32(a); }>},
    {"V_SAT_PK_U8_I16", lanes<[](U32 a) {
       auto byte = [](I16 v) { return U32(v < 0 ? 0 : v > 255 ? 255 : v); };
       return U16(byte(I16(a)) | byte(I16(a >> 16)) << 8); }>},
    {"V_CVT_PK_U16_U32",
     lanes<[](U32 a, U32 b) { return (a > 0xffff ? 0xffff : a) | (b > 0xffff ? 0xffffu : b) << 16; }>},
    {"V_CVT_PK_I16_I32", lanes<[](I32 a, I32 b) { return U32(U16(saturateI(a))) | U32(U16(saturateI(b))) << 16; }>},
};
// clang-format on

} // namespace

std::span<const Row> shortIntegerRows() { return rows; }

} // namespace fly::emulator
