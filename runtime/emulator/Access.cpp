// Address computation and bounds for all address spaces; see Access.h.
#include "runtime/emulator/Access.h"

#include "runtime/emulator/Text.h"

namespace fly::emulator {

bool globalAddresses(Wave &w, const Inst &i, Addresses &a, unsigned elementBytes) {
  a.active = w.exec() & w.laneMask;
  int64_t offset = i.offset;
  if (i.hasSaddr) {
    uint64_t base = w.scalar64(i.saddr) + static_cast<uint64_t>(offset);
    if (!i.hasVaddr) {
      for (unsigned l = 0; l < w.lanes; ++l) a.of[l] = base;
      return true;
    }
    const uint32_t *v = w.reg(i.source[0].index);
    uint64_t scale = i.flags & 8 ? elementBytes : 1;
    bool isSigned = w.program->arch.signedScalarOffset;
    for (unsigned l = 0; l < w.lanes; ++l) {
      uint64_t index = isSigned ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(v[l]))) : v[l];
      a.of[l] = base + index * scale;
    }
    return true;
  }
  const uint32_t *v = w.reg(i.source[0].index);
  for (unsigned l = 0; l < w.lanes; ++l)
    a.of[l] = (v[l] | static_cast<uint64_t>(v[l + laneStride]) << 32) + static_cast<uint64_t>(offset);
  return true;
}

bool scratchAddresses(Wave &w, const Inst &i, Addresses &a, unsigned elementBytes) {
  a.active = w.exec() & w.laneMask;
  uint32_t base = static_cast<uint32_t>(i.offset) + (i.hasSaddr ? w.scalar[i.saddr] : 0);
  if (!i.hasVaddr) {
    for (unsigned l = 0; l < w.lanes; ++l) a.of[l] = base;
    return true;
  }
  const uint32_t *v = w.reg(i.source[0].index);
  uint32_t scale = i.flags & 8 ? elementBytes : 1;
  for (unsigned l = 0; l < w.lanes; ++l) a.of[l] = base + v[l] * scale;
  return true;
}

bool ldsAddresses(Wave &w, const Inst &i, Addresses &a, int64_t offset) {
  a.active = w.exec() & w.laneMask;
  const uint32_t *v = w.reg(i.source[0].index);
  for (unsigned l = 0; l < w.lanes; ++l) a.of[l] = v[l] + static_cast<uint32_t>(offset); // wraps at 32 bits
  return true;
}

/// Raw and structured buffers, without swizzle. Out of range when index >= num_records (stride != 0) or offset plus
/// the element's size > num_records (stride 0): such lanes load 0 and store nothing.
bool bufferAddresses(Wave &w, const Inst &i, Addresses &a, unsigned elementBytes) {
  a.active = w.exec() & w.laneMask;
  uint32_t word0 = w.scalar[i.saddr], word1 = w.scalar[i.saddr + 1], records = w.scalar[i.saddr + 2];
  uint64_t base = word0 | static_cast<uint64_t>(word1 & 0xffff) << 32;
  uint32_t stride = word1 >> 16 & 0x3fff;
  bool swizzled = word1 >> 31;
  if (swizzled) {
    w.fail(FaultKind::UnknownInstruction, "swizzled buffer resources are not emulated");
    return false;
  }
  uint32_t soffset = readScalar<uint32_t>(w, i.source[2]);
  bool offen = i.flags & 1, idxen = i.flags & 2;
  const uint32_t *v = i.hasVaddr ? w.reg(i.source[0].index) : nullptr;
  for (unsigned l = 0; l < w.lanes; ++l) {
    uint64_t index = idxen && v ? v[l] : 0;
    uint64_t offset = static_cast<uint64_t>(i.offset) + (offen && v ? v[l + (idxen ? laneStride : 0)] : 0);
    bool outside = stride && idxen ? index >= records || offset + elementBytes > stride
                                   : offset + index * stride + elementBytes > records;
    if (outside) a.outside |= 1ull << l;
    a.of[l] = base + soffset + offset + index * stride;
  }
  return true;
}

Window::Window(Wave &w, const Addresses &a, Space space, unsigned bytes, bool write)
    : w(w), space(space), bytes(bytes), write(write) {
  uint64_t active = a.active & ~a.outside;
  if (!active || space == Space::Scratch) return;
  uint64_t low = ~0ull, high = 0;
  if (active == w.laneMask)
    for (unsigned l = 0; l < w.lanes; ++l) {
      low = a.of[l] < low ? a.of[l] : low;
      high = a.of[l] > high ? a.of[l] : high;
    }
  else
    for (uint64_t m = active; m; m &= m - 1) {
      unsigned l = static_cast<unsigned>(std::countr_zero(m));
      low = a.of[l] < low ? a.of[l] : low;
      high = a.of[l] > high ? a.of[l] : high;
    }
  if (high + bytes < high) return;
  if (space == Space::Lds) {
    if (high + bytes <= w.group->ldsBytes) {
      base = w.group->lds;
      baseAddress = 0;
    }
    return;
  }
  const Allocation *all = w.memory->find(low, high - low + bytes);
  if (all && (!write || all->writable)) {
    base = all->host + (low - all->address);
    baseAddress = low;
  }
}

uint8_t *Window::slow(unsigned lane, uint64_t address) {
  Space where = space;
  uint64_t offset = address;
  if (space == Space::Flat) {
    uint32_t aperture = static_cast<uint32_t>(address >> 32);
    if (w.program->arch.globalScratch && (aperture ^ globalScratchBase) < 1u << 26) {
      // Bits 56:52 name the lane whose scratch is meant: lanes may reach each other's.
      where = Space::Scratch;
      lane = address >> 52 & (w.lanes - 1);
      offset = address & 0xffffffff;
    } else if (aperture == sharedAperture) { where = Space::Lds; offset = address & 0xffffffff; }
    else if (aperture == privateAperture) { where = Space::Scratch; offset = address & 0xffffffff; }
  }
  std::string access = std::string(write ? "write" : "read") + " of " + std::to_string(bytes) + " bytes";
  switch (where) {
  case Space::Lds:
    if (offset + bytes <= w.group->ldsBytes) return w.group->lds + offset;
    w.failAt(FaultKind::LdsOutOfBounds,
             access + " outside of the workgroup's " + std::to_string(w.group->ldsBytes) + " bytes of LDS",
             static_cast<int>(lane), offset);
    return nullptr;
  case Space::Scratch:
    offset &= 0xffffffff;
    if (offset + bytes <= w.scratchBytes) return w.scratch + static_cast<size_t>(lane) * w.scratchBytes + offset;
    w.failAt(FaultKind::OutOfBounds,
             access + " outside of the lane's " + std::to_string(w.scratchBytes) + " bytes of scratch",
             static_cast<int>(lane), offset);
    return nullptr;
  default: break;
  }
  const Allocation *all = w.memory->find(address, bytes);
  if (all && (!write || all->writable)) return all->host + (address - all->address);
  w.failAt(FaultKind::OutOfBounds,
           all ? access + " to read-only memory" : access + " outside of any allocation", static_cast<int>(lane), address);
  return nullptr;
}

} // namespace fly::emulator
