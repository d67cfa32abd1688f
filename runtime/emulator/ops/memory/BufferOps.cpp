// Buffer loads, stores and atomics, and the addresses of their lanes; see BufferResource.h.
#include "runtime/emulator/ops/memory/Access.h"
#include "runtime/emulator/ops/memory/BufferResource.h"

#include <algorithm>

namespace fly::emulator {

bool bufferAddresses(Wave &w, const Inst &i, Pending &p, unsigned elementBytes) {
  const BufferResource r(w, i.saddr);
  const bool gfx12 = w.program->arch.gfx12, offen = i.flags & 1, idxen = i.flags & 2, indexed = idxen || r.addThread;
  const uint64_t sgprOffset = readScalar<uint32_t>(w, i.source[2]);
  const uint32_t *v = i.hasVaddr ? w.reg(i.source[0].index) : nullptr;
  const uint32_t *offsets = v && idxen ? v + laneStride : v;
  if (r.swizzle && r.stride && elementBytes > r.elementBytes) {
    w.fail(FaultKind::UnknownInstruction, "an access wider than the element of a swizzled buffer is not emulated");
    return false;
  }
  const unsigned words = (elementBytes + 3) / 4;
  const uint64_t first = r.base + sgprOffset + static_cast<uint64_t>(i.offset);
  if (!idxen && !r.addThread && !(r.swizzle && r.stride)) {
    // A plain offset: when the highest is in range all are.
    uint32_t highest = 0;
    const uint32_t *active = w.activeLanes(p.active);
    for (unsigned l = 0; offen && v && l < w.lanes; ++l) highest = std::max(highest, v[l] & active[l]);
    if (r.inside(gfx12, indexed, 0, static_cast<uint64_t>(i.offset) + highest, sgprOffset, elementBytes) == words) {
      for (unsigned l = 0; l < w.lanes; ++l) p.address[l] = first + (offen && v ? v[l] : 0);
      return true;
    }
  }
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint64_t index = (idxen && v ? v[l] : 0) + (r.addThread ? l : 0);
    uint64_t offset = static_cast<uint64_t>(i.offset) + (offen && v ? offsets[l] : 0);
    p.address[l] = r.base + sgprOffset + r.place(index, offset);
    unsigned inside = r.inside(gfx12, indexed, index, offset, sgprOffset, elementBytes);
    if (inside == 0) p.outside |= 1ull << l;
    else if (inside < words) p.setWordsInside(l, inside);
  }
  return true;
}

bool bufferRun(Wave &w, const Inst &i, unsigned bytes, uint64_t &first) {
  const bool offen = i.flags & 1, idxen = i.flags & 2;
  if (!offen || idxen || !i.hasVaddr) return false;
  const BufferResource r(w, i.saddr);
  const uint32_t *v = w.reg(i.source[0].index), last = (w.lanes - 1) * bytes;
  if (r.addThread || r.swizzle || v[0] + last < v[0] || !ascends(v, w.lanes, bytes)) return false;
  const uint64_t sgprOffset = readScalar<uint32_t>(w, i.source[2]), offset = static_cast<uint64_t>(i.offset) + v[0];
  first = r.base + sgprOffset + offset;
  return r.inside(w.program->arch.gfx12, false, 0, offset + last, sgprOffset, bytes) == (bytes + 3) / 4;
}

namespace {

void nothing(Wave &, const Inst &) {}

constexpr Row rows[] = {
    FLY_MEMORY_ROWS("BUFFER_", Space::Buffer), FLY_ATOMIC_ROWS("BUFFER_", Space::Buffer, ""),
    {"BUFFER_INV", nothing, Row::Other}, {"BUFFER_WBL2", nothing, Row::Other}, {"BUFFER_INVL2", nothing, Row::Other},
    {"BUFFER_WBINVL1", nothing, Row::Other}, {"BUFFER_WBINVL1_VOL", nothing, Row::Other},
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
