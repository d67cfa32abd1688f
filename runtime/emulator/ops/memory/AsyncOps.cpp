// gfx1250's asynchronous transfers between global memory and LDS, and the barriers in LDS that announce them.
//
// Each lane names a global address and, in a VGPR, an LDS address; the bytes go from one to the other without passing
// through registers. The instruction's offset is added to both (LLVM's intrinsics say so). They complete when ASYNCcnt
// says so; it counts loads and stores, each in order among themselves (ISA guide, 10.8). The cluster forms are the same
// to the wave that executes them; see Gfx12MemoryOps.cpp.
//
// ds_atomic_async_barrier_arrive counts in ASYNCcnt after the loads, so a barrier that waits for all lanes' arrivals
// does not complete before their bytes have arrived.
#include "runtime/emulator/ops/memory/Rows.h"
#include "runtime/emulator/ops/memory/Access.h"
#include "runtime/emulator/wave/Cluster.h"
#include "runtime/emulator/wave/LdsBarrier.h"
#include "runtime/emulator/wave/Observer.h"

namespace fly::emulator {

namespace {

/// p.data holds the lanes' LDS offsets.
template <bool Load, unsigned Bytes> inline constexpr PendingActions transferActions = {
    [](Wave &w, Pending &p) {
      forLanes(p.active, [&](unsigned l) {
        uint8_t *lds = w.group->lds + p.data[l];
        if (Load) std::memcpy(lds, p.at(l), Bytes);
        else std::memcpy(p.at(l), lds, Bytes);
      });
    },
    nullptr, nullptr};

template <bool Load, unsigned Bytes, bool Multicast> void transfer(Wave &w, const Inst &i) {
  if (Multicast && !clusterMask(w, w.scalar[slot::m0])) return;
  Pending *p = beginAccess<Space::Global, Bytes>(w, i, transferActions<Load, Bytes>, Load, !Load, false);
  if (!p) return;
  const uint32_t *local = w.reg(i.source[1].index);
  uint64_t offsets[laneStride], low = ~0ull, high = 0;
  for (uint64_t m = p->active; m; m &= m - 1) {
    unsigned l = static_cast<unsigned>(std::countr_zero(m));
    offsets[l] = p->data[l] = local[l] + static_cast<uint32_t>(i.offset);
    if (!ldsBytes(w, offsets[l], Bytes, Load, static_cast<int>(l))) return abandon(w, *p);
    low = std::min(low, offsets[l]);
    high = std::max(high, offsets[l] + Bytes);
  }
  if (p->active) {
    uint64_t base = reinterpret_cast<uint64_t>(w.group->lds);
    p->ldsRange = {base + low, base + high};
    p->writesLds = Load;
    w.observers.access(w, i, {Space::Lds, !Load, Load, false, Bytes, p->active, offsets});
  }
  p->order = Load ? MemoryOrder::InOrder : MemoryOrder::AsyncStore;
  submit(w, *p);
}

/// The lanes arrive one after the other; with a result each gets what was there before it.
inline constexpr PendingActions arriveActions = {
    [](Wave &w, Pending &p) {
      forLanes(p.active, [&](unsigned l) {
        LaneType<uint64_t>::store(p.data, l, performArrival(w, p, p.at(l), p.words ? p.data[l] : 1));
      });
      concludeArrival(w, p);
    },
    deliverWords, nullptr};

void arriveWithResult(Wave &w, const Inst &i) {
  Pending *p = beginAccess<Space::Lds, 8>(w, i, arriveActions, true, true, true);
  if (!p) return;
  captureData(w, i, *p, 2);
  p->words = 2;
  announceArrival(w, *p);
  submit(w, *p);
}
void arriveBehindLoads(Wave &w, const Inst &i) {
  Pending *p = beginAccess<Space::Lds, 8>(w, i, arriveActions, true, true, true);
  if (!p) return;
  p->order = MemoryOrder::InOrder;
  p->ordered = false; // the wave's own look at the barrier does not bring its arrival forward, past the loads
  announceArrival(w, *p);
  submit(w, *p);
}

#define SIZES(NAME, LOAD, MULTICAST)                                                                                   \
  {NAME "_B8", transfer<LOAD, 1, MULTICAST>, Row::Other}, {NAME "_B32", transfer<LOAD, 4, MULTICAST>, Row::Other},     \
  {NAME "_B64", transfer<LOAD, 8, MULTICAST>, Row::Other}, {NAME "_B128", transfer<LOAD, 16, MULTICAST>, Row::Other}
constexpr Row rows[] = {
    SIZES("GLOBAL_LOAD_ASYNC_TO_LDS", true, false),
    SIZES("GLOBAL_STORE_ASYNC_FROM_LDS", false, false),
    SIZES("CLUSTER_LOAD_ASYNC_TO_LDS", true, true),
    {"DS_ATOMIC_ASYNC_BARRIER_ARRIVE_B64", arriveBehindLoads, Row::Other},
    {"DS_ATOMIC_BARRIER_ARRIVE_RTN_B64", arriveWithResult, Row::Other},
};

} // namespace

void announceArrival(Wave &w, Pending &p) {
  p.extra[3] = ++w.group->arrivals;
  w.observers.tell(Hook::Order, &WaveObserver::beginArrival, w, w.group->arrivals);
}
uint64_t performArrival(Wave &w, const Pending &p, uint8_t *at, uint32_t arrivals) {
  uint64_t old;
  std::memcpy(&old, at, 8);
  const uint64_t now = arriveAtLdsBarrier(old, arrivals);
  std::memcpy(at, &now, 8);
  constexpr uint64_t phase = 7ull << 29;
  w.observers.tell(Hook::Order, &WaveObserver::arrive, w, static_cast<uint32_t>(p.extra[3]),
                   static_cast<uint32_t>(at - w.group->lds), ((old ^ now) & phase) != 0);
  return old;
}
void concludeArrival(Wave &w, const Pending &p) {
  w.observers.tell(Hook::Order, &WaveObserver::endArrival, w, static_cast<uint32_t>(p.extra[3]));
}

std::span<const Row> asyncRows() { return rows; }

} // namespace fly::emulator
