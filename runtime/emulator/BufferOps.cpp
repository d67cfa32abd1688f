// Buffer loads, stores and atomics, and the addresses of their lanes; see BufferResource.h.
#include "runtime/emulator/Access.h"
#include "runtime/emulator/BufferResource.h"

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

namespace {

void nothing(Wave &, const Inst &) {}

constexpr Row rows[] = {
    FLY_MEMORY_ROWS("BUFFER_", Space::Buffer), FLY_ATOMIC_ROWS("BUFFER_", Space::Buffer, ""),
    {"BUFFER_INV", nothing, Row::Other}, {"BUFFER_WBL2", nothing, Row::Other}, {"BUFFER_INVL2", nothing, Row::Other},
    {"BUFFER_WBINVL1", nothing, Row::Other}, {"BUFFER_WBINVL1_VOL", nothing, Row::Other},
};

} // namespace

std::span<const Row> bufferRows() { return rows; }

} // namespace fly::emulator
