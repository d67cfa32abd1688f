// Memory instructions that came with gfx12 and have no older counterpart: blocks of registers, the ordered add,
// gfx1250's monitored and multicast loads.
//
// A cluster load is a plain load to the wave that executes it: the hardware merges equal requests of the workgroups
// that M0 names into one fetch and answers each (public notes on CLUSTER_LOAD: data returns to the requesting
// workgroups; nobody else's registers or LDS change). Only the mask can be wrong, see clusterMask.
#include "runtime/emulator/ops/memory/Rows.h"
#include "runtime/emulator/ops/memory/Access.h"
#include "runtime/emulator/wave/Cluster.h"

namespace fly::emulator {

namespace {

//===--------------------------------------------------------------------------------------------------------===//
// Blocks: register n of the block for each bit n of M0; the bytes of clear bits are not touched
//===--------------------------------------------------------------------------------------------------------===//

/// 32 registers do not fit a record, so further records that are in no queue hold them, four each. They hang on the
/// first by p.extra[0]; p.extra[1] is M0, p.second what its lowest bit adds to an address.
constexpr unsigned registersOfRecord = 4;

Pending *nextOf(const Pending &p) { return reinterpret_cast<Pending *>(p.extra[0]); }

void extend(Wave &w, Pending &p, unsigned records) {
  Pending *last = &p;
  for (unsigned n = 1; n < records; ++n) {
    Pending *more = &w.pending->take();
    last->extra[0] = reinterpret_cast<uint64_t>(more);
    last = more;
  }
  last->extra[0] = 0;
}
void dropExtensions(Wave &w, Pending &p) {
  for (Pending *more = nextOf(p); more;) {
    Pending *next = nextOf(*more);
    w.pending->drop(*more);
    more = next;
  }
}

/// Calls f(n, lanes of register n in the records) for the set bits of M0.
template <class F> void forBlock(Pending &p, F f) {
  Pending *record = &p;
  for (unsigned n = 0, held = 0; n < 32; ++n) {
    if (!(p.extra[1] >> n & 1)) continue;
    if (held == registersOfRecord) record = nextOf(*record), held = 0;
    f(n, record->data + held++ * laneStride);
  }
}

constexpr PendingActions blockLoad = {
    [](Wave &, Pending &p) {
      forBlock(p, [&](unsigned n, uint32_t *lanes) {
        forLanes(p.active, [&](unsigned l) { std::memcpy(lanes + l, p.at(l) + 4 * n - p.second, 4); });
      });
    },
    [](Wave &w, Pending &p) {
      forBlock(p, [&](unsigned n, uint32_t *lanes) {
        uint32_t *d = w.reg(p.dst + n);
        forLanes(p.active, [&](unsigned l) { d[l] = lanes[l]; });
      });
      dropExtensions(w, p);
    },
    nullptr};
constexpr PendingActions blockStore = {
    [](Wave &w, Pending &p) {
      forBlock(p, [&](unsigned n, uint32_t *lanes) {
        forLanes(p.active, [&](unsigned l) { std::memcpy(p.at(l) + 4 * n - p.second, lanes + l, 4); });
      });
      dropExtensions(w, p);
    },
    nullptr, nullptr};

template <Space S, bool Store> void block(Wave &w, const Inst &i) {
  const uint32_t mask = w.scalar[slot::m0];
  if (!mask) return;
  const unsigned low = static_cast<unsigned>(std::countr_zero(mask)),
                 high = static_cast<unsigned>(std::bit_width(mask));
  Pending &p = beginPending(w, i, Store ? blockStore : blockLoad);
  p.writes = Store;
  p.second = 4 * low;
  if (!computeAddresses<S>(w, i, p, 128)) return abandon(w, p);
  for (unsigned l = 0; l < w.lanes; ++l) p.address[l] += 4 * low;
  if (!mapAddresses(w, i, p, {S, !Store, Store, false, 4 * (high - low)})) return abandon(w, p);
  p.extra[1] = mask;
  extend(w, p, (static_cast<unsigned>(std::popcount(mask)) + registersOfRecord - 1) / registersOfRecord);
  if (Store)
    forBlock(p, [&](unsigned n, uint32_t *lanes) { std::memcpy(lanes, w.reg(i.source[1].index + n), laneStride * 4); });
  else p.words = 32;
  submit(w, p);
}

/// Memory holds an id and a value; whoever brings the id that is due adds to the value and advances the id.
/// (VGT_GS_MAX_WAVE_ID, by which the hardware wraps the id, is graphics state; here it is all ones.)
inline constexpr auto orderedAdd = [](uint64_t old, uint64_t data) {
  uint32_t id = static_cast<uint32_t>(old), value = static_cast<uint32_t>(old >> 32);
  if (id != static_cast<uint32_t>(data)) return old;
  return static_cast<uint64_t>(id + 1) | static_cast<uint64_t>(value + static_cast<uint32_t>(data >> 32)) << 32;
};

template <unsigned Words> void clusterLoad(Wave &w, const Inst &i) {
  if (clusterMask(w, w.scalar[slot::m0])) load<Space::Global, Wide<Words>>(w, i);
}

constexpr Space G = Space::Global, F = Space::Flat;
// clang-format off
constexpr Row rows[] = {
    {"GLOBAL_LOAD_BLOCK", block<G, false>, Row::Other}, {"GLOBAL_STORE_BLOCK", block<G, true>, Row::Other},
    {"SCRATCH_LOAD_BLOCK", block<Space::Scratch, false>, Row::Other},
    {"SCRATCH_STORE_BLOCK", block<Space::Scratch, true>, Row::Other},
    {"GLOBAL_ATOMIC_ORDERED_ADD_B64", atomic<G, uint64_t, orderedAdd>, Row::Other},
    // loads that also arm the monitor s_monitor_sleep waits for; sleeping is a hint here
    {"GLOBAL_LOAD_MONITOR_B32", load<G, Wide<1>>, Row::Other},
    {"GLOBAL_LOAD_MONITOR_B64", load<G, Wide<2>>, Row::Other},
    {"GLOBAL_LOAD_MONITOR_B128", load<G, Wide<4>>, Row::Other}, {"FLAT_LOAD_MONITOR_B32", load<F, Wide<1>>, Row::Other},
    {"FLAT_LOAD_MONITOR_B64", load<F, Wide<2>>, Row::Other}, {"FLAT_LOAD_MONITOR_B128", load<F, Wide<4>>, Row::Other},
    {"CLUSTER_LOAD_B32", clusterLoad<1>, Row::Other}, {"CLUSTER_LOAD_B64", clusterLoad<2>, Row::Other},
    {"CLUSTER_LOAD_B128", clusterLoad<4>, Row::Other},
};
// clang-format on

} // namespace

std::span<const Row> gfx12MemoryRows() { return rows; }

} // namespace fly::emulator
