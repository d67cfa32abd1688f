// gfx1250's tensor data mover: tensor_load_to_lds, tensor_store_from_lds. What the descriptor means is in
// TensorDescriptor.h.
//
// The instruction captures the descriptor and checks all addresses, so that a fault names it; the copy happens when
// TENSORcnt is waited for. EXEC does not matter. Tensor operations are not ordered with other memory operations of the
// wave; among themselves they complete in order (ISA guide, 10.11.1). If the descriptor says so, completing arrives at
// a barrier in LDS (LdsBarrier.h).
//
// A workgroup mask makes equal requests of several workgroups of a cluster one fetch; each still fills its own LDS with
// its own instruction, so here it is only checked.
#include "runtime/emulator/ops/memory/Rows.h"
#include "runtime/emulator/ops/memory/Access.h"
#include "runtime/emulator/wave/Cluster.h"
#include "runtime/emulator/wave/LdsBarrier.h"
#include "runtime/emulator/ops/memory/TensorDescriptor.h"

namespace fly::emulator {

namespace {

template <size_t N> void readGroup(Wave &w, const Source &s, std::array<uint32_t, N> &group) {
  if (s.kind == Source::Scalar) std::memcpy(group.data(), w.scalar + s.index, N * 4);
}

/// Chunks as lanes of events: up to 64 of equal size.
class TensorWatch {
public:
  TensorWatch(Wave &w, const Inst &i, bool load) : w(w), inst(i), load(load) {}
  ~TensorWatch() { flush(); }
  void add(uint64_t global, uint64_t lds, uint64_t inside, uint64_t bytes) {
    if (!w.observers.want(Hook::Access)) return;
    if (count == laneStride || (count && (bytes != size || inside != sizeInside))) flush();
    size = bytes;
    sizeInside = inside;
    globals[count] = global;
    locals[count++] = lds;
  }

private:
  void flush() {
    if (!count) return;
    uint64_t lanes = count == 64 ? ~0ull : (1ull << count) - 1;
    if (sizeInside)
      w.observers.access(w, inst,
                         {Space::Global, load, !load, false, static_cast<unsigned>(sizeInside), lanes, globals});
    w.observers.access(w, inst, {Space::Lds, !load, load, false, static_cast<unsigned>(size), lanes, locals});
    count = 0;
  }
  Wave &w;
  const Inst &inst;
  bool load;
  unsigned count = 0;
  uint64_t size = 0, sizeInside = 0, globals[laneStride], locals[laneStride];
};

bool checkTile(Wave &w, const Inst &i, const TensorDescriptor &d, bool load) {
  if (d.count() > 1) {
    w.fail(FaultKind::UnknownInstruction, "tensor descriptors of a context restore (count 2, 3) are not emulated");
    return false;
  }
  if (d.type() != 2) {
    w.fail(FaultKind::UnknownInstruction,
           "the descriptor's type is " + std::to_string(d.type()) + ", not 2, so this is not a tensor descriptor");
    return false;
  }
  if (load && !clusterMask(w, d.workgroupMask())) return false;
  if (load && d.pad() && d.tileDim(0) * d.elementBytes() % 4) {
    w.fail(FaultKind::Misaligned, "padding needs rows of whole 4-byte words, but a row has " +
                                      std::to_string(d.tileDim(0) * d.elementBytes()) + " bytes");
    return false;
  }
  TensorWatch watch(w, i, load);
  bool fits = d.walk(load, [&](uint64_t global, uint64_t lds, uint64_t inside, uint64_t bytes) {
    const std::string what = load ? "tensor load" : "tensor store";
    if (lds + bytes > w.group->ldsBytes) {
      w.failAt(FaultKind::LdsOutOfBounds,
               what + " of " + std::to_string(bytes) + " bytes of LDS outside of the workgroup's " +
                   std::to_string(w.group->ldsBytes),
               -1, lds);
      return false;
    }
    if (inside) {
      const Allocation *a = w.memory->find(global, inside, w.lastAllocation);
      if (!a || (!load && !a->writable)) {
        w.failAt(FaultKind::OutOfBounds,
                 what + " of " + std::to_string(inside) + " bytes of global memory " +
                     (a ? "that is read-only" : "outside of any allocation"),
                 -1, global);
        return false;
      }
    }
    watch.add(global, lds, inside, bytes);
    return true;
  });
  if (fits && d.barrier() && d.barrierAddress() + 8 > w.group->ldsBytes) {
    w.failAt(FaultKind::LdsOutOfBounds, "the tensor operation's barrier is outside of the workgroup's LDS", -1,
             d.barrierAddress());
    return false;
  }
  return fits;
}

template <bool Load> void copyTile(Wave &w, Pending &p) {
  TensorDescriptor d;
  std::memcpy(static_cast<void *>(&d), p.data, sizeof d);
  d.walk(Load, [&](uint64_t global, uint64_t lds, uint64_t inside, uint64_t bytes) {
    uint8_t *local = w.group->lds + lds;
    if (inside) {
      uint8_t *host = w.memory->host(global, inside);
      if (!host) { // freed by the host in the meantime
        w.failAt(FaultKind::OutOfBounds, "memory of a tensor operation was freed before the operation ended", -1,
                 global);
        return false;
      }
      if (Load) std::memcpy(local, host, inside);
      else std::memcpy(host, local, inside);
    }
    if (Load) std::memset(local + inside, 0, bytes - inside);
    return true;
  });
  if (d.barrier() && d.tileDim(0)) performArrival(w, p, w.group->lds + d.barrierAddress(), 1);
  concludeArrival(w, p);
}

template <bool Load> inline constexpr PendingActions tensorActions = {copyTile<Load>, nullptr, nullptr};

/// That its workgroup has asked, for the end of the cluster, when all who are named should have.
void noteMulticast(Wave &w, const TensorDescriptor &d) {
  if (!d.workgroupMask() || !w.group->cluster || w.checkBarriers == CheckMode::Off) return;
  std::vector<uint32_t> key(d.group1.begin(), d.group1.end());
  key.insert(key.end(), d.group0.begin() + 2, d.group0.end());
  for (auto *group : {&d.group2, &d.group3}) key.insert(key.end(), group->begin(), group->end());
  ++w.group->cluster->multicasts[std::move(key)][clusterRank(*w.group)];
}

template <bool Load> void tensor(Wave &w, const Inst &i) {
  TensorDescriptor d;
  readGroup(w, i.source[0], d.group0);
  readGroup(w, i.source[1], d.group1);
  readGroup(w, i.source[2], d.group2);
  if (i.hasSaddr) std::memcpy(d.group3.data(), w.scalar + i.saddr, 16);
  if (d.count() && !checkTile(w, i, d, Load)) return;
  if (Load && d.count()) noteMulticast(w, d);
  Pending &p = beginPending(w, i, tensorActions<Load>);
  p.ordered = false;
  p.order = MemoryOrder::InOrder;
  p.writes = !Load;
  p.writesLds = Load;
  if (!d.count()) d.group1 = {}; // nothing to do, but it counts
  std::memcpy(p.data, static_cast<const void *>(&d), sizeof d);
  announceArrival(w, p);
  submit(w, p);
}

constexpr Row rows[] = {
    {"TENSOR_LOAD_TO_LDS", tensor<true>, Row::Other},
    {"TENSOR_STORE_FROM_LDS", tensor<false>, Row::Other},
};

} // namespace

std::span<const Row> tensorRows() { return rows; }

} // namespace fly::emulator
