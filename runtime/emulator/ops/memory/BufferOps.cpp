// Buffer loads, stores and atomics, and the addresses of their lanes; see BufferResource.h.
#include "runtime/emulator/ops/memory/Rows.h"
#include "runtime/emulator/ops/scalar/Control.h"
#include "runtime/emulator/ops/memory/Access.h"
#include "runtime/emulator/ops/memory/BufferResource.h"

#include <algorithm>

namespace fly::emulator {

bool bufferAddresses(Wave &w, const Inst &i, Pending &p, unsigned elementBytes) {
  const BufferResource r(w, i.saddr);
  const bool offen = i.flags & 1, idxen = i.flags & 2;
  const uint32_t sgprOffset = readScalar<uint32_t>(w, i.source[2]);
  const uint32_t *v = i.hasVaddr ? w.reg(i.source[0].index) : nullptr;
  const uint32_t *indices = v && idxen ? v : nullptr, *offsets = !v || !offen ? nullptr : idxen ? v + laneStride : v;
  if (r.isSwizzled() && elementBytes > r.elementBytes) {
    w.fail(FaultKind::UnknownInstruction, "an access wider than the element of a swizzled buffer is not emulated");
    return false;
  }
  if (r.ignored) p.active = 0;
  const unsigned words = (elementBytes + 3) / 4;
  // With a bounds mode and in linear buffers an index replaces the lane's number.
  const bool addsLane = r.addThread && !(idxen && (w.program->arch.generation.boundsMode || !r.isSwizzled()));
  if (!indices && !addsLane && !r.isSwizzled()) {
    // A plain offset: when the lowest and the highest are in range, and nothing wraps in between, all are.
    uint32_t lowest = ~0u, highest = 0;
    const uint32_t *active = w.activeLanes(p.active);
    for (unsigned l = 0; offsets && l < w.lanes; ++l) {
      highest = std::max(highest, offsets[l] & active[l]);
      lowest = std::min(lowest, offsets[l] | ~active[l]);
    }
    if (!offsets) lowest = 0;
    auto first = r.find({0, lowest, idxen}, i.offset, sgprOffset, elementBytes),
         last = r.find({0, highest, idxen}, i.offset, sgprOffset, elementBytes);
    if (first.words == words && last.words == words && lowest <= highest &&
        last.address - first.address == highest - lowest) {
      for (unsigned l = 0; l < w.lanes; ++l) p.address[l] = first.address + (offsets ? offsets[l] - lowest : 0);
      return true;
    }
  }
  for (unsigned l = 0; l < w.lanes; ++l) {
    const uint64_t index = (indices ? indices[l] : 0) + (addsLane ? l : 0);
    const BufferResource::Place at =
        r.find({index, offsets ? offsets[l] : 0, idxen}, i.offset, sgprOffset, elementBytes);
    p.address[l] = at.address;
    if (at.words == 0) p.outside |= 1ull << l;
    else if (at.words < words) p.setWordsInside(l, at.words);
  }
  return true;
}

bool bufferRun(Wave &w, const Inst &i, unsigned bytes, uint64_t &first) {
  const bool offen = i.flags & 1, idxen = i.flags & 2;
  if (!offen || idxen || !i.hasVaddr) return false;
  const BufferResource r(w, i.saddr);
  const uint32_t *v = w.reg(i.source[0].index), last = (w.lanes - 1) * bytes;
  if (r.ignored || r.addThread || r.swizzle || v[0] + last < v[0] || !ascends(v, w.lanes, bytes)) return false;
  const uint32_t sgprOffset = readScalar<uint32_t>(w, i.source[2]);
  const BufferResource::Place from = r.find({0, v[0], false}, i.offset, sgprOffset, bytes),
                              to = r.find({0, v[0] + last, false}, i.offset, sgprOffset, bytes);
  first = from.address;
  return from.words == (bytes + 3) / 4 && to.words == from.words && to.address - from.address == last;
}

namespace {

constexpr Row rows[] = {
    FLY_MEMORY_ROWS("BUFFER_", Space::Buffer),   FLY_ATOMIC_ROWS("BUFFER_", Space::Buffer, ""),
    {"BUFFER_INV", invalidate, Row::Other},      {"BUFFER_WBL2", writeBack, Row::Other},
    {"BUFFER_INVL2", nothing, Row::Other},       {"BUFFER_WBINVL1", nothing, Row::Other},
    {"BUFFER_WBINVL1_VOL", nothing, Row::Other},
};

} // namespace

/// TFE, for partly resident textures: the register after the data says whether pages were missing. All are present, so
/// it is 0. (LLVM and Mesa clear it before the load and treat any other value as a failure: single source.)
void runWithStatus(Wave &w, const Inst &i) {
  const Inst &load = static_cast<const std::vector<Inst> *>(i.detail)->front();
  load.run(w, load);
  if (w.stop == Stop::Fault) return;
  w.pending->records().back()->status = true;
  w.pending->refilter(w);
}

std::span<const Row> bufferRows() { return rows; }

} // namespace fly::emulator
