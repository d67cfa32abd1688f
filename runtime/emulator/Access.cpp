// Address computation and bounds for all address spaces; see Access.h.
#include "runtime/emulator/Access.h"

#include "runtime/emulator/Text.h"

#include <algorithm>

namespace fly::emulator {

bool globalAddresses(Wave &w, const Inst &i, Pending &p, unsigned elementBytes) {
  int64_t offset = i.offset;
  if (i.hasSaddr) {
    uint64_t base = w.scalar64(i.saddr) + static_cast<uint64_t>(offset);
    if (!i.hasVaddr) {
      for (unsigned l = 0; l < w.lanes; ++l) p.address[l] = base;
      return true;
    }
    const uint32_t *v = w.reg(i.source[0].index);
    uint64_t scale = i.flags & 8 ? elementBytes : 1;
    bool isSigned = w.program->arch.signedScalarOffset;
    for (unsigned l = 0; l < w.lanes; ++l) {
      uint64_t index = isSigned ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(v[l]))) : v[l];
      p.address[l] = base + index * scale;
    }
    return true;
  }
  const uint32_t *v = w.reg(i.source[0].index);
  for (unsigned l = 0; l < w.lanes; ++l)
    p.address[l] = (v[l] | static_cast<uint64_t>(v[l + laneStride]) << 32) + static_cast<uint64_t>(offset);
  return true;
}

bool scratchAddresses(Wave &w, const Inst &i, Pending &p, unsigned elementBytes) {
  uint32_t base = static_cast<uint32_t>(i.offset) + (i.hasSaddr ? w.scalar[i.saddr] : 0);
  if (!i.hasVaddr) {
    for (unsigned l = 0; l < w.lanes; ++l) p.address[l] = base;
    return true;
  }
  const uint32_t *v = w.reg(i.source[0].index);
  uint32_t scale = i.flags & 8 ? elementBytes : 1;
  for (unsigned l = 0; l < w.lanes; ++l) p.address[l] = base + v[l] * scale;
  return true;
}

bool ldsAddresses(Wave &w, const Inst &i, Pending &p, int64_t offset) {
  const uint32_t *v = w.reg(i.source[0].index);
  for (unsigned l = 0; l < w.lanes; ++l) p.address[l] = v[l] + static_cast<uint32_t>(offset); // wraps at 32 bits
  return true;
}

namespace {

std::string describeAccess(const Access &access) {
  return std::string(access.write ? "write" : "read") + " of " + std::to_string(access.bytes) + " bytes";
}

/// Bytes that a lane accesses: fewer where only its first words are in range.
unsigned bytesOf(const Pending &p, unsigned lane, unsigned bytes) {
  return p.partial >> lane & 1 ? 4 * p.wordsInside(lane) : bytes;
}

uint8_t *scratchBytes(Wave &w, unsigned owner, uint64_t offset, const Access &access, unsigned lane) {
  offset &= 0xffffffff;
  if (offset + access.bytes <= w.scratchBytes) return w.scratch + static_cast<size_t>(owner) * w.scratchBytes + offset;
  w.failAt(FaultKind::OutOfBounds,
           describeAccess(access) + " outside of the lane's " + std::to_string(w.scratchBytes) + " bytes of scratch",
           static_cast<int>(lane), offset);
  return nullptr;
}

/// One lane's host memory, whatever its address means; null after a fault.
uint8_t *mapLane(Wave &w, unsigned lane, uint64_t address, const Access &access) {
  if (access.space == Space::Flat) {
    uint32_t aperture = static_cast<uint32_t>(address >> 32);
    // gfx1250: bits 56:52 name the lane whose scratch is meant: lanes may reach each other's.
    if (w.program->arch.globalScratch && (aperture ^ globalScratchBase) < 1u << 26)
      return scratchBytes(w, address >> 52 & (w.lanes - 1), address, access, lane);
    if (aperture == sharedAperture) return ldsBytes(w, address & 0xffffffff, access.bytes, access.write, static_cast<int>(lane));
    if (aperture == privateAperture) return scratchBytes(w, lane, address, access, lane);
  }
  const Allocation *all = w.memory->find(address, access.bytes, w.lastAllocation);
  if (all && (!access.write || all->writable)) return all->host + (address - all->address);
  w.failAt(FaultKind::OutOfBounds,
           describeAccess(access) + (all ? " to read-only memory" : " outside of any allocation"),
           static_cast<int>(lane), address);
  return nullptr;
}

/// Lane by lane, in lane order; then p.address are host addresses.
bool mapLanes(Wave &w, Pending &p, const Access &access) {
  uint64_t low = ~0ull, high = 0;
  for (uint64_t m = p.lanes(); m; m &= m - 1) {
    unsigned l = static_cast<unsigned>(std::countr_zero(m));
    uint8_t *at = access.space == Space::Scratch ? scratchBytes(w, l, p.address[l], access, l)
                  : access.space == Space::Lds
                      ? ldsBytes(w, p.address[l], access.bytes, access.write, static_cast<int>(l))
                      : mapLane(w, l, p.address[l], {access.space, access.read, access.write, access.atomic, bytesOf(p, l, access.bytes)});
    if (!at) return false;
    p.address[l] = reinterpret_cast<uint64_t>(at);
    low = std::min(low, p.address[l]);
    high = std::max(high, p.address[l]);
  }
  p.base = 0;
  p.range = {low, high + access.bytes};
  return true;
}

void watch(Wave &w, const Inst &i, const Pending &p, const Access &access, const uint64_t *addresses) {
  w.watcher->access(w, i, {access.space, access.read, access.write, access.atomic, access.bytes, p.lanes(), addresses});
}

/// Atomics fault at addresses that are not multiples of their size, whatever the mode of the memory unit.
bool checkAligned(Wave &w, const Pending &p, unsigned bytes) {
  for (uint64_t m = p.lanes(); m; m &= m - 1) {
    unsigned l = static_cast<unsigned>(std::countr_zero(m));
    if (!(p.address[l] & (bytes - 1))) continue;
    w.failAt(FaultKind::Misaligned, "atomic at an address that is not a multiple of its size", static_cast<int>(l), p.address[l]);
    return false;
  }
  return true;
}

/// The lowest and highest address of the lanes that access; whether they lie one after the other.
bool spanOf(const Wave &w, const Pending &p, unsigned bytes, uint64_t &low, uint64_t &high) {
  uint64_t lanes = p.lanes();
  if (lanes == w.laneMask) {
    uint64_t first = p.address[0], different = 0;
    for (unsigned l = 0; l < w.lanes; ++l) different |= p.address[l] ^ (first + l * static_cast<uint64_t>(bytes));
    if (!different) {
      low = first;
      high = first + (w.lanes - 1) * static_cast<uint64_t>(bytes);
      return true;
    }
  }
  low = ~0ull;
  high = 0;
  for (; lanes; lanes &= lanes - 1) {
    uint64_t a = p.address[std::countr_zero(lanes)];
    low = std::min(low, a);
    high = std::max(high, a);
  }
  return false;
}

} // namespace

uint8_t *ldsBytes(Wave &w, uint64_t offset, unsigned bytes, bool write, int lane) {
  if (offset + bytes <= w.group->ldsBytes) return w.group->lds + offset;
  w.failAt(FaultKind::LdsOutOfBounds,
           std::string(write ? "write" : "read") + " of " + std::to_string(bytes) + " bytes outside of the workgroup's " +
               std::to_string(w.group->ldsBytes) + " bytes of LDS",
           lane, offset);
  return nullptr;
}

bool mapAddresses(Wave &w, const Inst &i, Pending &p, const Access &access) {
  if (w.watcher) watch(w, i, p, access, p.address);
  if (!p.lanes()) return true;
  if (access.atomic && !checkAligned(w, p, access.bytes)) return false;
  if (access.space == Space::Scratch) return mapLanes(w, p, access);
  uint64_t low, high;
  bool contiguous = spanOf(w, p, access.bytes, low, high);
  if (high + access.bytes > high) {
    high += access.bytes;
    if (access.space == Space::Lds) {
      if (high <= w.group->ldsBytes) [[likely]] {
        p.base = reinterpret_cast<uint64_t>(w.group->lds);
        p.range = {low + p.base, high + p.base};
        p.contiguous = contiguous;
        return true;
      }
    } else {
      const Allocation *all = w.memory->find(low, high - low, w.lastAllocation);
      if (all && (!access.write || all->writable)) [[likely]] {
        p.base = reinterpret_cast<uint64_t>(all->host) - all->address;
        p.range = {low + p.base, high + p.base};
        p.contiguous = contiguous && !p.partial;
        return true;
      }
    }
  }
  return mapLanes(w, p, access);
}

bool mapLdsTransfer(Wave &w, const Inst &i, Pending &p, unsigned stride) {
  // 16 bits of M0 (CDNA3 ISA, "Memory reads to LDS"); gfx950's LDS of 160 KB needs 18.
  uint32_t m0 = w.scalar[slot::m0] & (w.program->arch.ldsBytes > 65536 ? 0x3ffffu : 0xffffu);
  uint64_t first = m0 + static_cast<uint32_t>(i.offset), addresses[laneStride];
  p.writesLds = true;
  for (uint64_t m = p.active; m; m &= m - 1) {
    unsigned l = static_cast<unsigned>(std::countr_zero(m));
    addresses[l] = first + l * stride;
    if (!ldsBytes(w, addresses[l], stride, true, static_cast<int>(l))) return false;
  }
  if (w.watcher) w.watcher->access(w, i, {Space::Lds, false, true, false, stride, p.active, addresses});
  p.extra[0] = reinterpret_cast<uint64_t>(w.group->lds) + first;
  if (p.active) p.ldsRange = {p.extra[0] + static_cast<unsigned>(std::countr_zero(p.active)) * stride,
                              p.extra[0] + (64 - static_cast<unsigned>(std::countl_zero(p.active))) * stride};
  return true;
}

bool mapSecond(Wave &w, const Inst &i, Pending &p, const Access &access) {
  uint64_t offsets[laneStride], low = ~0ull, high = 0;
  uint64_t lds = reinterpret_cast<uint64_t>(w.group->lds);
  for (uint64_t m = p.lanes(); m; m &= m - 1) {
    unsigned l = static_cast<unsigned>(std::countr_zero(m));
    offsets[l] = static_cast<uint32_t>(p.address[l] + p.base - lds + static_cast<uint64_t>(p.second));
    if (!ldsBytes(w, offsets[l], access.bytes, access.write, static_cast<int>(l))) return false;
    low = std::min(low, offsets[l]);
    high = std::max(high, offsets[l]);
  }
  if (w.watcher) watch(w, i, p, access, offsets);
  if (p.lanes()) {
    p.range.low = std::min(p.range.low, low + lds);
    p.range.high = std::max(p.range.high, high + lds + access.bytes);
  }
  return true;
}

} // namespace fly::emulator
