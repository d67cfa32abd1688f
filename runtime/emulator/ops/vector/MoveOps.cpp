// Moves, selections and AGPR copies of the vector unit, and the scalar-result transcendentals' plain relatives.
#include "runtime/emulator/ops/vector/Rows.h"
#include "runtime/emulator/lanes/Lanes.h"

namespace fly::emulator {

namespace {

using U32 = uint32_t;
using U64 = uint64_t;
using U16 = uint16_t;

/// Exchanges two registers in the active lanes.
void swapRegisters(Wave &w, const Inst &i) {
  const uint32_t *mask = w.activeLanes(w.exec() & w.laneMask);
  uint32_t *a = w.reg(i.dst), *b = w.reg(i.source[0].index);
  for (unsigned l = 0; l < w.lanes; ++l)
    if (mask[l]) std::swap(a[l], b[l]);
}

/// v_bitop3: three-input truth table in `flags`, bit (a<<2|b<<1|c); v_bitop2 is the same with c = 0.
template <class T> void bitop3(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  const uint32_t *a = fetch<T>(w, i, 0), *b = fetch<T>(w, i, 1), *c = fetch<T>(w, i, 2);
  uint32_t table = i.flags, *d = w.resultBuffer;
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint32_t r = 0;
    for (unsigned k = 0; k < 8; ++k)
      if (table >> k & 1) r |= (k & 4 ? a[l] : ~a[l]) & (k & 2 ? b[l] : ~b[l]) & (k & 1 ? c[l] : ~c[l]);
    d[l] = r;
  }
  commit(w, i, d, 1, sizeof(T) * 8, activeOf(w));
}

// clang-format off
constexpr Row rows[] = {
    {"V_MOV_B32", lanes<[](U32 a) { return a; }>},
    {"V_MOV_B64", lanes<[](U64 a) { return a; }>},
    {"V_MOV_B16", lanes<[](U16 a) { return a; }>},
    {"V_CNDMASK_B32", lanes<[](U32 a, U32 b, bool c) { return c ? b : a; }>},
    {"V_CNDMASK_B16", lanes<[](U16 a, U16 b, bool c) { return c ? b : a; }>},
    {"V_ACCVGPR_READ_B32", lanes<[](U32 a) { return a; }>},
    {"V_ACCVGPR_WRITE_B32", lanes<[](U32 a) { return a; }>},
    {"V_ACCVGPR_MOV_B32", lanes<[](U32 a) { return a; }>},
    // flushes: LLVM uses it for halves that are canonical only
    {"V_PACK_B32_F16", lanes<[](const Mode &m, U16 a, U16 b) {
       bool flush = m.flushIn16_64 || m.flushOut16_64;
       auto half = [&](U16 h) { return flush && !(h & 0x7c00) ? U32(h & 0x8000) : U32(h); };
       return half(a) | half(b) << 16; }>},
    {"V_SWAP_B32", swapRegisters, Row::Other},
    Row{"V_BITOP2_B32", bitop3<U32>}.with(Row::TruthTable),
    Row{"V_BITOP3_B32", bitop3<U32>}.with(Row::TruthTable),
    Row{"V_BITOP3_B16", bitop3<U16>}.with(Row::TruthTable),
};
// clang-format on

} // namespace

std::span<const Row> moveRows() { return rows; }

} // namespace fly::emulator
