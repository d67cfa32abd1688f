// Cross-lane moves by an index that each lane has or that holds for groups of lanes (gfx12 and gfx1250), and the moves
// between registers that M0 chooses with two indices.
//
// v_permlane_bcast, _up, _down, _xor and _idx_gen work in groups of Src2 lanes (a power of two). What they compute for
// arguments beyond the group is read from AMD's HIP headers (the shuffles use them) and their documentation there:
// an up or down that leaves the group and a xor with 32 or more give the lane its own value. Single source.
#include "runtime/emulator/ops/vector/Rows.h"
#include "runtime/emulator/lanes/Scalars.h"

namespace fly::emulator {

namespace {

using U32 = uint32_t;

/// v_permlane16_var, v_permlanex16_var: like v_permlane16, each lane with its own four bits of Src1.
template <bool Cross> void permuteRowByLane(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  alignas(64) U32 from[laneStride], select[laneStride];
  std::memcpy(from, fetch<U32>(w, i, 0), sizeof from);
  std::memcpy(select, fetch<U32>(w, i, 1), sizeof select);
  const uint64_t exec = w.exec() & w.laneMask;
  const bool fetchInactive = i.flags & 1, zero = i.flags & 2;
  U32 *d = w.reg(i.dst);
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (!(exec >> l & 1)) continue;
    unsigned other = ((l & ~15u) ^ (Cross ? 16 : 0)) | (select[l] & 15);
    if (fetchInactive || (exec >> other & 1)) d[l] = from[other];
    else if (zero) d[l] = 0;
  }
}

/// `Lane(lane, selector, width)` is the lane to read.
template <auto Lane> void permuteGroup(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  alignas(64) U32 from[laneStride];
  std::memcpy(from, fetch<U32>(w, i, 0), sizeof from);
  const U32 selector = readScalar<U32>(w, i.source[1]);
  U32 width = readScalar<U32>(w, i.source[2]) & 63;
  if (width == 0 || width > w.lanes) width = w.lanes;
  U32 *d = w.resultBuffer;
  for (unsigned l = 0; l < w.lanes; ++l) d[l] = from[Lane(l, selector, width) & (w.lanes - 1)];
  commit(w, i, d, 1, 32, w.exec() & w.laneMask);
}
constexpr auto broadcastLane = [](U32 l, U32 s, U32 width) { return (l & ~(width - 1)) + (s & (width - 1)); };
constexpr auto laneAbove = [](U32 l, U32 s, U32 width) {
  return (l & (width - 1)) < (s < width ? s : width) ? l : l - s;
};
constexpr auto laneBelow = [](U32 l, U32 s, U32 width) {
  return s >= width || (l & (width - 1)) + s >= width ? l : l + s;
};
constexpr auto lanePartner = [](U32 l, U32 s, U32 width) {
  U32 other = l ^ s;
  return s >= 32 || other >= (l & ~(width - 1)) + width ? l : other;
};
/// v_permlane_idx_gen: the byte address that ds_bpermute needs for lane Src0 of the group.
void permuteAddress(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  const U32 *a = fetch<U32>(w, i, 0);
  U32 width = readScalar<U32>(w, i.source[1]) & 63;
  if (width == 0 || width > w.lanes) width = w.lanes;
  U32 *d = w.resultBuffer;
  for (unsigned l = 0; l < w.lanes; ++l) d[l] = broadcastLane(l, a[l], width) << 2;
  commit(w, i, d, 1, 32, w.exec() & w.laneMask);
}

/// A VGPR's number after adding an index, checked.
bool relativeRegister(Wave &w, unsigned base, U32 index, unsigned &number) {
  const unsigned limit = w.program->limits.vgprs;
  number = base + index;
  if (index < limit && number < limit) return true;
  w.fail(FaultKind::RegisterOutOfRange, "relative register v" + std::to_string(static_cast<uint64_t>(base) + index) +
                                            " is beyond the kernel's " + std::to_string(limit));
  return false;
}
/// v_movrelsd_2, v_swaprel: M0[9:0] is added to the source, M0[25:16] to the destination.
template <bool Swap> void moveRelativeTwice(Wave &w, const Inst &i) {
  const U32 m0 = w.scalar[slot::m0];
  unsigned from = 0, to = 0;
  if (i.source[0].kind == Source::Vector && !relativeRegister(w, i.source[0].index, m0 & 1023, from)) return;
  if (!relativeRegister(w, i.dst, m0 >> 16 & 1023, to)) return;
  U32 *d = w.reg(to), *s = i.source[0].kind == Source::Vector ? w.reg(from) : nullptr;
  if (!s) return w.fail(FaultKind::UnknownInstruction, "a relative move of a scalar is not emulated");
  const U32 *mask = w.activeLanes(w.exec() & w.laneMask);
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (!mask[l]) continue;
    if constexpr (Swap) std::swap(d[l], s[l]);
    else d[l] = s[l];
  }
}
void moveScalarRelativeTwice(Wave &w, const Inst &i) {
  const U32 m0 = w.scalar[slot::m0], from = i.source[0].index + (m0 & 1023), to = i.dst + (m0 >> 16 & 1023);
  if (from >= 106 || to >= 106) return w.fail(FaultKind::RegisterOutOfRange, "s_movrelsd_2 beyond s105");
  w.scalar[to] = w.scalar[from];
}
/// v_swap_b16: two halves change places.
void swapHalves(Wave &w, const Inst &i) {
  const unsigned da = i.half == Half16::WriteHigh ? 16 : 0, db = i.source[0].change & Source::HighHalf ? 16 : 0;
  const U32 *mask = w.activeLanes(w.exec() & w.laneMask);
  U32 *a = w.reg(i.dst), *b = w.reg(i.source[0].index);
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (!mask[l]) continue;
    const U32 x = a[l] >> da & 0xffff, y = b[l] >> db & 0xffff;
    a[l] = (a[l] & ~(0xffffu << da)) | y << da;
    b[l] = (b[l] & ~(0xffffu << db)) | x << db;
  }
}

constexpr Row rows[] = {
    Row{"V_PERMLANE16_VAR_B32", permuteRowByLane<false>, Row::Other}.with(Row::LaneSelectors),
    Row{"V_PERMLANEX16_VAR_B32", permuteRowByLane<true>, Row::Other}.with(Row::LaneSelectors),
    {"V_PERMLANE_BCAST_B32", permuteGroup<broadcastLane>, Row::Other},
    {"V_PERMLANE_UP_B32", permuteGroup<laneAbove>, Row::Other},
    {"V_PERMLANE_DOWN_B32", permuteGroup<laneBelow>, Row::Other},
    {"V_PERMLANE_XOR_B32", permuteGroup<lanePartner>, Row::Other},
    {"V_PERMLANE_IDX_GEN_B32", permuteAddress, Row::Other},
    {"V_MOVRELSD_2_B32", moveRelativeTwice<false>, Row::Other},
    {"V_SWAPREL_B32", moveRelativeTwice<true>, Row::Other},
    {"S_MOVRELSD_2_B32", moveScalarRelativeTwice, Row::Other},
    {"V_SWAP_B16", swapHalves, Row::Other},
};

} // namespace

std::span<const Row> laneGroupRows() { return rows; }

} // namespace fly::emulator
