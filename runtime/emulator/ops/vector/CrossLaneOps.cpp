// Instructions in which a lane sees other lanes (readlane, writelane, mbcnt, permlane) or registers are indexed by M0
// (movrel, s_set_gpr_idx).
#include "runtime/emulator/ops/vector/Rows.h"
#include "runtime/emulator/lanes/Scalars.h"

namespace fly::emulator {

namespace {

using U32 = uint32_t;

uint32_t laneValue(Wave &w, const Source &s, unsigned lane) {
  return s.kind == Source::Vector ? w.reg(s.index)[lane] : readScalar<U32>(w, s);
}

/// EXEC is ignored; without an active lane, lane 0 is read.
void readFirstLane(Wave &w, const Inst &i) {
  uint64_t active = w.exec() & w.laneMask;
  unsigned lane = active ? std::countr_zero(active) : 0;
  w.scalar[i.dst] = laneValue(w, i.source[0], lane);
}
void readLane(Wave &w, const Inst &i) {
  unsigned lane = readScalar<U32>(w, i.source[1]) & (w.lanes - 1);
  w.scalar[i.dst] = laneValue(w, i.source[0], lane);
}
void writeLane(Wave &w, const Inst &i) {
  unsigned lane = readScalar<U32>(w, i.source[1]) & (w.lanes - 1);
  w.reg(i.dst)[lane] = readScalar<U32>(w, i.source[0]);
}

/// Bits of Src0 below this lane, counted, plus Src1. The low half serves lanes 0-31, the high one 32-63.
template <bool High> void maskedCount(Wave &w, const Inst &i) {
  w.dppActive = ~0ull;
  const uint32_t *a = fetch<U32>(w, i, 0), *b = fetch<U32>(w, i, 1);
  uint32_t *d = w.resultBuffer;
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint32_t below = High ? (l < 32 ? 0 : (1u << (l - 32)) - 1) : (l < 32 ? (1u << l) - 1 : ~0u);
    d[l] = static_cast<uint32_t>(std::popcount(a[l] & below)) + b[l];
  }
  commit(w, i, d, 1, 32, activeOf(w));
}

/// v_permlane16, v_permlanex16: within a row of 16 (x: from the other row of the pair) each lane reads the lane that
/// its nibble of Src1 (lanes 0-7) and Src2 (8-15) names. op_sel[0] is "fetch inactive", op_sel[1] bound_ctrl.
template <bool Cross> void permuteRow(Wave &w, const Inst &i) {
  alignas(64) uint32_t from[laneStride];
  const uint32_t *source = fetch<U32>(w, i, 0);
  std::memcpy(from, source, sizeof from);
  uint64_t select = readScalar<U32>(w, i.source[1]) | static_cast<uint64_t>(readScalar<U32>(w, i.source[2])) << 32;
  uint64_t exec = w.exec() & w.laneMask;
  bool fetchInactive = i.flags & 1, zero = i.flags & 2;
  uint32_t *d = w.reg(i.dst);
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (!(exec >> l & 1)) continue;
    unsigned other = ((l & ~15u) ^ (Cross ? 16 : 0)) | static_cast<unsigned>(select >> 4 * (l & 15) & 15);
    if (fetchInactive || (exec >> other & 1)) d[l] = from[other];
    else if (zero) d[l] = 0;
  }
}

/// v_permlane16_swap (rows 1 and 0, 3 and 2), v_permlane32_swap (halves): exchanges the odd part of Dst with the even
/// part of Src0.
template <unsigned Size> void permuteSwap(Wave &w, const Inst &i) {
  uint32_t *a = w.reg(i.dst), *b = w.reg(i.source[0].index);
  uint64_t exec = w.exec() & w.laneMask;
  for (unsigned l = 0; l < w.lanes; ++l) {
    if (l & Size) continue;
    unsigned odd = l | Size;
    uint32_t high = a[odd], low = b[l];
    if (exec >> odd & 1) a[odd] = low;
    if (exec >> l & 1) b[l] = high;
  }
}
/// v_permlane64: the halves of a wave64 change places; nothing in wave32.
void permuteHalves(Wave &w, const Inst &i) {
  if (w.lanes != 64) return;
  alignas(64) uint32_t from[laneStride];
  std::memcpy(from, w.reg(i.source[0].index), sizeof from);
  for (unsigned l = 0; l < w.lanes; ++l) w.resultBuffer[l] = from[l ^ 32];
  commit(w, i, w.resultBuffer, 1, 32, w.exec() & w.laneMask);
}

/// The plain move with M0 added to destination, source or both.
template <bool Destination, bool SourceToo> void moveRelative(Wave &w, const Inst &i) {
  Inst moved = i;
  uint32_t index = w.scalar[slot::m0];
  unsigned limit = w.program->limits.vgprs;
  if (Destination ? index >= limit - std::min<unsigned>(limit, i.dst) : false)
    return w.fail(FaultKind::RegisterOutOfRange, "v_movreld to v" + std::to_string(uint64_t(i.dst) + index) +
                                                     " is beyond the kernel's " + std::to_string(limit));
  if (SourceToo && index >= limit - std::min<unsigned>(limit, i.source[0].index))
    return w.fail(FaultKind::RegisterOutOfRange, "v_movrels from v" +
                                                     std::to_string(uint64_t(i.source[0].index) + index) +
                                                     " is beyond the kernel's " + std::to_string(limit));
  if (Destination) moved.dst = static_cast<uint16_t>(i.dst + index);
  if (SourceToo) moved.source[0].index = static_cast<uint16_t>(i.source[0].index + index);
  lanes<[](U32 a) { return a; }>(w, moved);
}
/// s_movrels, s_movreld: scalar registers.
template <unsigned Words, bool Destination> void moveScalarRelative(Wave &w, const Inst &i) {
  uint32_t index = w.scalar[slot::m0], base = Destination ? i.dst : i.source[0].index;
  if (index >= 106 || base + index + Words > 106) return w.fail(FaultKind::RegisterOutOfRange, "s_movrel beyond s105");
  uint32_t words[2] = {0, 0};
  if (Destination && i.source[0].kind == Source::Constant) {
    words[0] = i.source[0].low;
    words[1] = i.source[0].high;
  } else std::memcpy(words, w.scalar + i.source[0].index + (Destination ? 0 : index), 4 * Words);
  std::memcpy(w.scalar + i.dst + (Destination ? index : 0), words, 4 * Words);
}

constexpr Row rows[] = {
    {"V_MOVRELD_B32", moveRelative<true, false>},
    {"V_MOVRELS_B32", moveRelative<false, true>},
    {"V_MOVRELSD_B32", moveRelative<true, true>},
    {"S_MOVRELS_B32", moveScalarRelative<1, false>, Row::Other},
    {"S_MOVRELS_B64", moveScalarRelative<2, false>, Row::Other},
    {"S_MOVRELD_B32", moveScalarRelative<1, true>, Row::Other},
    {"S_MOVRELD_B64", moveScalarRelative<2, true>, Row::Other},
    {"V_READFIRSTLANE_B32", readFirstLane, Row::Other},
    {"V_READLANE_B32", readLane, Row::Other},
    {"V_WRITELANE_B32", writeLane, Row::Other},
    {"V_MBCNT_LO_U32_B32", maskedCount<false>},
    {"V_MBCNT_HI_U32_B32", maskedCount<true>},
    Row{"V_PERMLANE16_B32", permuteRow<false>}.with(Row::LaneSelectors),
    Row{"V_PERMLANEX16_B32", permuteRow<true>}.with(Row::LaneSelectors),
    {"V_PERMLANE16_SWAP_B32", permuteSwap<16>, Row::Other},
    {"V_PERMLANE32_SWAP_B32", permuteSwap<32>, Row::Other},
    {"V_PERMLANE64_B32", permuteHalves},
};

} // namespace

std::span<const Row> crossLaneRows() { return rows; }

} // namespace fly::emulator
