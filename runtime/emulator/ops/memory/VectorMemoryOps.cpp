// Global, flat and scratch loads, stores and atomics. Cache control does nothing but tell the check of races:
// memory is coherent here.
#include "runtime/emulator/ops/memory/Rows.h"
#include "runtime/emulator/ops/scalar/Control.h"
#include "runtime/emulator/ops/memory/Access.h"

namespace fly::emulator {

namespace {

/// Lane l's word at the scalar address + offset + 4 l.
Pending *beginAddTid(Wave &w, const Inst &i, const PendingActions &actions, bool write) {
  Pending &p = beginPending(w, i, actions);
  p.writes = write;
  uint64_t base = (i.hasSaddr ? w.scalar64(i.saddr) : 0) + static_cast<uint64_t>(static_cast<int64_t>(i.offset));
  for (unsigned l = 0; l < w.lanes; ++l) p.address[l] = base + 4 * l;
  if (mapAddresses(w, i, p, {Space::Global, !write, write, false, 4})) return &p;
  abandon(w, p);
  return nullptr;
}
void loadAddTid(Wave &w, const Inst &i) {
  Pending *p = beginAddTid(w, i, loadActions<Wide<1>>, false);
  if (!p) return;
  p->words = 1;
  submit(w, *p);
}
void storeAddTid(Wave &w, const Inst &i) {
  Pending *p = beginAddTid(w, i, storeActions<Wide<1>>, true);
  if (!p) return;
  captureData(w, i, *p, 1);
  submit(w, *p);
}

#define TO_LDS(P, S)                                                                                                   \
  {P "_LOAD_LDS_UBYTE", loadToLds<S, Extended<uint8_t>>, Row::Other},                                                  \
  {P "_LOAD_LDS_SBYTE", loadToLds<S, Extended<int8_t>>, Row::Other},                                                   \
  {P "_LOAD_LDS_USHORT", loadToLds<S, Extended<uint16_t>>, Row::Other},                                                \
  {P "_LOAD_LDS_SSHORT", loadToLds<S, Extended<int16_t>>, Row::Other},                                                 \
  {P "_LOAD_LDS_DWORD", loadToLds<S, Wide<1>>, Row::Other}

// clang-format off
constexpr Row rows[] = {
    FLY_MEMORY_ROWS("GLOBAL_", Space::Global), FLY_ATOMIC_ROWS("GLOBAL_", Space::Global, ""),
    FLY_MEMORY_ROWS("FLAT_", Space::Flat), FLY_ATOMIC_ROWS("FLAT_", Space::Flat, "_U32"),
    FLY_MEMORY_ROWS("SCRATCH_", Space::Scratch),
    TO_LDS("GLOBAL", Space::Global), TO_LDS("SCRATCH", Space::Scratch),
    {"GLOBAL_LOAD_LDS_DWORDX3", loadToLds<Space::Global, Wide<3>>, Row::Other},
    {"GLOBAL_LOAD_LDS_DWORDX4", loadToLds<Space::Global, Wide<4>>, Row::Other},
    {"GLOBAL_LOAD_DWORD_ADDTID", loadAddTid, Row::Other}, {"GLOBAL_STORE_DWORD_ADDTID", storeAddTid, Row::Other},
    {"GLOBAL_INV", invalidate, Row::Other}, {"GLOBAL_WB", writeBack, Row::Other}, {"GLOBAL_WBINV", writeBackAndInvalidate, Row::Other},
    {"GLOBAL_PREFETCH_B8", nothing, Row::Other}, {"FLAT_PREFETCH_B8", nothing, Row::Other},
};
// clang-format on

} // namespace

std::span<const Row> vectorMemoryRows() { return rows; }

/// A load that names a scope. Whoever loads the same again and again waits for others, who get their turn.
void runPolling(Wave &w, const Inst &i) {
  constexpr unsigned most = 16;
  const Inst &load = static_cast<const std::vector<Inst> *>(i.detail)->front();
  const uint64_t active = w.exec() & w.laneMask;
  uint64_t place = i.number + (load.hasSaddr ? w.scalar64(load.saddr) : 0);
  if (active && load.source[0].kind == Source::Vector)
    for (unsigned k = 0; k < std::min<unsigned>(load.source[0].width, 2); ++k)
      place += uint64_t(w.reg(load.source[0].index + k)[std::countr_zero(active)]) << (32 * k);
  load.run(w, load);
  if (place != w.poll.place) {
    w.poll = {place, 0, w.poll.gaveWay};
  } else if (++w.poll.count == most) {
    w.poll.count = 0;
    w.poll.gaveWay = true;
    if (w.stop == Stop::None) w.stop = Stop::Quantum;
  }
}

} // namespace fly::emulator
