// Address computation and bounds for all address spaces; see Access.h.
#include "runtime/emulator/ops/memory/Access.h"

#include "runtime/emulator/formats/Text.h"

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
    if (aperture == sharedAperture)
      return ldsBytes(w, address & 0xffffffff, access.bytes, access.write, static_cast<int>(lane));
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
                      : mapLane(w, l, p.address[l],
                                {access.space, access.read, access.write, access.atomic, bytesOf(p, l, access.bytes)});
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
  w.observers.access(
      w, i,
      {access.space, access.read, access.write, access.atomic, access.bytes, p.lanes(), addresses, access.stored});
}

/// Atomics fault at addresses that are not multiples of their size, whatever the mode of the memory unit.
bool checkAligned(Wave &w, const Pending &p, unsigned bytes) {
  for (uint64_t m = p.lanes(); m; m &= m - 1) {
    unsigned l = static_cast<unsigned>(std::countr_zero(m));
    if (!(p.address[l] & (bytes - 1))) continue;
    w.failAt(FaultKind::Misaligned, "atomic at an address that is not a multiple of its size", static_cast<int>(l),
             p.address[l]);
    return false;
  }
  return true;
}

/// The lowest and highest address of the lanes that access, compared as signed numbers, which vectors can: where that
/// is not the order of the addresses there are some that no allocation has, and [low, high] is not found in one either.
void spanOf(Wave &w, const Pending &p, uint64_t &low, uint64_t &high) {
  const uint64_t lanes = p.lanes();
  int64_t least = INT64_MAX, most = INT64_MIN;
  if (lanes == w.laneMask) {
    for (unsigned l = 0; l < w.lanes; ++l) {
      int64_t a = static_cast<int64_t>(p.address[l]);
      least = a < least ? a : least;
      most = a > most ? a : most;
    }
  } else {
    const uint32_t *active = w.activeLanes(lanes);
    for (unsigned l = 0; l < w.lanes; ++l) {
      int64_t a = static_cast<int64_t>(p.address[l]), on = static_cast<int32_t>(active[l]);
      int64_t up = on ? a : INT64_MAX, down = on ? a : INT64_MIN;
      least = up < least ? up : least;
      most = down > most ? down : most;
    }
  }
  low = static_cast<uint64_t>(least);
  high = static_cast<uint64_t>(most);
}

/// Whether all lanes are active and their addresses are consecutive.
bool isRun(const Wave &w, const Pending &p, unsigned bytes) {
  if (p.lanes() != w.laneMask || p.partial) return false;
  uint64_t different = 0;
  for (unsigned l = 0; l < w.lanes; ++l) different |= p.address[l] ^ (p.address[0] + l * static_cast<uint64_t>(bytes));
  return !different;
}

/// Where lane 0's bytes are, in the space's own addresses, if all lanes' bytes follow each other there.
bool findRun(Wave &w, const Inst &i, const Access &access, uint64_t &first) {
  const uint32_t *v = w.reg(i.source[0].index);
  const uint32_t bytes = access.bytes, last = (w.lanes - 1) * bytes;
  if (access.space == Space::Lds) {
    first = v[0] + static_cast<uint32_t>(i.offset);
    return ascends(v, w.lanes, bytes);
  }
  if (access.space == Space::Buffer) return bufferRun(w, i, bytes, first);
  const uint64_t offset = static_cast<uint64_t>(static_cast<int64_t>(i.offset));
  if (i.hasSaddr) {
    if (!i.hasVaddr) return false;
    const bool scaled = i.flags & 8, isSigned = w.program->arch.signedScalarOffset;
    const uint32_t end = v[0] + (scaled ? w.lanes - 1 : last); // of the last lane: the index must not wrap
    if (isSigned ? static_cast<int32_t>(end) < static_cast<int32_t>(v[0]) : end < v[0]) return false;
    uint64_t index = isSigned ? static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(v[0]))) : v[0];
    first = w.scalar64(i.saddr) + offset + index * (scaled ? bytes : 1);
    return ascends(v, w.lanes, scaled ? 1 : bytes);
  }
  if (v[0] + last < v[0]) return false;
  first = (v[0] | static_cast<uint64_t>(v[laneStride]) << 32) + offset;
  return ascends(v, w.lanes, bytes) && ascends(v + laneStride, w.lanes, 0);
}

} // namespace

uint8_t *ldsBytes(Wave &w, uint64_t offset, unsigned bytes, bool write, int lane) {
  if (offset + bytes <= w.group->ldsBytes) return w.group->lds + offset;
  w.failAt(FaultKind::LdsOutOfBounds,
           std::string(write ? "write" : "read") + " of " + std::to_string(bytes) +
               " bytes outside of the workgroup's " + std::to_string(w.group->ldsBytes) + " bytes of LDS",
           lane, offset);
  return nullptr;
}

bool mapAddresses(Wave &w, const Inst &i, Pending &p, const Access &access) {
  if (w.observers.want(Hook::Access)) watch(w, i, p, access, p.address);
  if (!p.lanes()) return true;
  if (access.atomic && !checkAligned(w, p, access.bytes)) return false;
  if (access.space == Space::Scratch) return mapLanes(w, p, access);
  uint64_t low, high;
  spanOf(w, p, low, high);
  const bool contiguous =
      high - low == (w.lanes - 1) * static_cast<uint64_t>(access.bytes) && isRun(w, p, access.bytes);
  if (high + access.bytes > high && high >= low) {
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
        p.contiguous = contiguous;
        return true;
      }
    }
  }
  return mapLanes(w, p, access);
}

bool ascends(const uint32_t *v, unsigned lanes, uint32_t step) {
  if (v[1] - v[0] != step) return false;
  typedef uint32_t Lanes __attribute__((ext_vector_type(8)));
  const Lanes steps = {0, step, 2 * step, 3 * step, 4 * step, 5 * step, 6 * step, 7 * step};
  Lanes expected = steps + v[0], different = {};
  for (unsigned l = 0; l < lanes; l += 8, expected += 8 * step) {
    Lanes now;
    std::memcpy(&now, v + l, sizeof now);
    different |= now ^ expected;
  }
  return __builtin_reduce_or(different) == 0;
}

bool mapRun(Wave &w, const Inst &i, Pending &p, const Access &access) {
  uint64_t first;
  if (w.observers.want(Hook::Access) || p.active != w.laneMask || !findRun(w, i, access, first)) return false;
  const uint64_t bytes = w.lanes * access.bytes;
  if (access.space == Space::Lds) {
    if (first + bytes > w.group->ldsBytes) return false;
    p.base = reinterpret_cast<uint64_t>(w.group->lds);
  } else {
    const Allocation *all = w.memory->find(first, bytes, w.lastAllocation);
    if (!all || (access.write && !all->writable)) return false;
    p.base = reinterpret_cast<uint64_t>(all->host) - all->address;
    // The bytes are needed at the wait, which gives time to bring them closer.
    for (uint64_t at = first + p.base, end = at + bytes; at < end; at += 64)
      __builtin_prefetch(reinterpret_cast<void *>(at));
  }
  p.address[0] = first;
  p.range = {first + p.base, first + p.base + bytes};
  p.contiguous = true;
  return true;
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
  w.observers.access(w, i, {Space::Lds, false, true, false, stride, p.active, addresses});
  p.extra[0] = reinterpret_cast<uint64_t>(w.group->lds) + first;
  if (p.active)
    p.ldsRange = {p.extra[0] + static_cast<unsigned>(std::countr_zero(p.active)) * stride,
                  p.extra[0] + (64 - static_cast<unsigned>(std::countl_zero(p.active))) * stride};
  return true;
}

bool mapSecond(Wave &w, const Inst &i, Pending &p, const Access &access) {
  // If the outermost of the second elements are within LDS, all are, and no offset wraps.
  const HostRange second{p.range.low + static_cast<uint64_t>(p.second), p.range.high + static_cast<uint64_t>(p.second)};
  const uint64_t begin = reinterpret_cast<uint64_t>(w.group->lds);
  if (!w.observers.want(Hook::Access) && second.low >= begin && second.high <= begin + w.group->ldsBytes) {
    p.range = {std::min(p.range.low, second.low), std::max(p.range.high, second.high)};
    return true;
  }
  uint64_t offsets[laneStride], low = ~0ull, high = 0;
  uint64_t lds = reinterpret_cast<uint64_t>(w.group->lds);
  for (uint64_t m = p.lanes(); m; m &= m - 1) {
    unsigned l = static_cast<unsigned>(std::countr_zero(m));
    offsets[l] = static_cast<uint32_t>(p.address[l] + p.base - lds + static_cast<uint64_t>(p.second));
    if (!ldsBytes(w, offsets[l], access.bytes, access.write, static_cast<int>(l))) return false;
    low = std::min(low, offsets[l]);
    high = std::max(high, offsets[l]);
  }
  if (w.observers.want(Hook::Access)) watch(w, i, p, access, offsets);
  if (p.lanes()) {
    p.range.low = std::min(p.range.low, low + lds);
    p.range.high = std::max(p.range.high, high + lds + access.bytes);
  }
  return true;
}

} // namespace fly::emulator
