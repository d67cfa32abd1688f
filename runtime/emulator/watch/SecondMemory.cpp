// Bytes that differ between the two runs; see SecondMemory.h.
#include "runtime/emulator/watch/SecondMemory.h"

#include <algorithm>

namespace fly::emulator {

void SecondMemory::begin(uint8_t *base, size_t size) {
  first = reinterpret_cast<uint64_t>(base);
  values.resize(size);
  for (size_t k = 0; k < size; ++k) values[k] = secondPoison(static_cast<unsigned>(k / 4), 0) & 0xff;
  unset.assign(size, 1);
  unsetBytes = size;
  unsetInBlock.assign((size + blockBytes - 1) / blockBytes, blockBytes);
  if (size % blockBytes) unsetInBlock.back() = size % blockBytes;
  stored.clear();
}

bool SecondMemory::cut(uint64_t &low, uint64_t &high) const {
  const uint64_t end = first + values.size();
  low = std::max(low, first);
  high = std::min(high, end);
  if (low >= high) return false;
  low -= first;
  high -= first;
  return true;
}

uint64_t SecondMemory::findUnset(uint64_t low, uint64_t high) const {
  const uint64_t none = high;
  if (!unsetBytes || !cut(low, high)) return none;
  uint8_t any = 0;
  for (uint64_t block = low / blockBytes; block <= (high - 1) / blockBytes; ++block) any |= unsetInBlock[block];
  if (!any) return none;
  for (uint64_t at = low; at < high;) {
    const uint64_t blockEnd = std::min(high, (at / blockBytes + 1) * blockBytes);
    if (unsetInBlock[at / blockBytes])
      if (const void *found = std::memchr(unset.data() + at, 1, blockEnd - at))
        return first + static_cast<uint64_t>(static_cast<const uint8_t *>(found) - unset.data());
    at = blockEnd;
  }
  return none;
}

Origin SecondMemory::storedFrom(uint64_t at) const {
  const auto found = stored.find((at - first) / 4);
  return found == stored.end() ? Origin() : found->second;
}

void SecondMemory::copy(uint64_t low, uint64_t high) {
  if (!cut(low, high)) return;
  const uint8_t *from = reinterpret_cast<const uint8_t *>(first);
  for (size_t k = low; k < high; ++k) values[k] = unset[k] ? values[k] : from[k];
}

void SecondMemory::compare(uint64_t low, uint64_t high, Origin from, bool written) {
  if (!cut(low, high)) return;
  const uint8_t *run = reinterpret_cast<const uint8_t *>(first);
  for (size_t k = low; k < high; ++k) {
    const bool differs = run[k] != values[k];
    if (differs && (written || !unset[k]) && from.kind != Origin::None) stored[k / 4] = from;
    set(k, differs);
  }
}

void SecondMemory::settle(uint64_t low, uint64_t high) {
  if (!unsetBytes || !cut(low, high)) return;
  for (size_t k = low; k < high; ++k) set(k, false);
}

} // namespace fly::emulator
