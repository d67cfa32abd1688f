// Bytes that differ between the two runs; see SecondMemory.h.
#include "runtime/emulator/watch/SecondMemory.h"

namespace fly::emulator {

void SecondMemory::begin(uint8_t *base, size_t size) {
  first = reinterpret_cast<uint64_t>(base);
  values.resize(size);
  for (size_t k = 0; k < size; ++k) values[k] = secondPoison(static_cast<unsigned>(k / 4), 0) & 0xff;
  unset.assign(size / blockBytes + 2, 0);
  std::fill_n(unset.begin(), size / blockBytes, ~uint64_t(0));
  unset[size / blockBytes] = (uint64_t(1) << size % blockBytes) - 1;
  unsetBytes = size;
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
  uint64_t found = 0;
  const bool any = eachBlock(low, high, [&](size_t block, uint64_t mask) {
    const uint64_t bits = unset[block] & mask;
    found = block * blockBytes + static_cast<uint64_t>(std::countr_zero(bits));
    return bits != 0;
  });
  return any ? first + found : none;
}

Origin SecondMemory::storedFrom(uint64_t at) const {
  const auto found = stored.find((at - first) / 4);
  return found == stored.end() ? Origin() : found->second;
}

void SecondMemory::copy(uint64_t low, uint64_t high) {
  if (!cut(low, high)) return;
  const uint8_t *from = reinterpret_cast<const uint8_t *>(first);
  for (size_t k = low; k < high; ++k) values[k] = isUnsetAt(k) ? values[k] : from[k];
}

void SecondMemory::compare(uint64_t low, uint64_t high, Origin from, bool written) {
  if (!cut(low, high)) return;
  const uint8_t *run = reinterpret_cast<const uint8_t *>(first);
  eachBlock(low, high, [&](size_t block, uint64_t mask) {
    uint64_t differs = 0;
    for (uint64_t rest = mask; rest; rest &= rest - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(rest));
      const size_t k = block * blockBytes + bit;
      differs |= uint64_t(run[k] != values[k]) << bit;
    }
    if (from.kind != Origin::None)
      for (uint64_t rest = written ? differs : differs & ~unset[block]; rest; rest &= rest - 1)
        stored[(block * blockBytes + static_cast<unsigned>(std::countr_zero(rest))) / 4] = from;
    set(block, (unset[block] & ~mask) | differs);
    return false;
  });
}

void SecondMemory::settle(uint64_t low, uint64_t high) {
  if (!unsetBytes || !cut(low, high)) return;
  eachBlock(low, high, [&](size_t block, uint64_t mask) {
    set(block, unset[block] & ~mask);
    return false;
  });
}

} // namespace fly::emulator
