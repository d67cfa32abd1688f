// LDS or scratch as the second run of InitCheck.h sees it: a byte either holds the same in both runs, and then only the
// first one's memory counts, or it is unset, and then it has a value of its own here.
#pragma once

#include "runtime/emulator/wave/Wave.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace fly::emulator {

/// Where an unset value began.
struct Origin {
  enum Kind : uint8_t { None, Vector, Scalar, Lds, Scratch };
  Kind kind = None;
  uint32_t index = 0;  ///< register, scalar slot, or offset in LDS or in the lane's scratch
  uint32_t reader = 0; ///< index of the instruction that first read it; 0: none has
};

/// What the second run has in place of values that were never written: another pattern than poisonWord in every bit of
/// even places, and others that are NaN, 0 or of another sign elsewhere, so that what depends on the value differs.
inline uint32_t secondPoison(unsigned place, unsigned variant) {
  static constexpr uint32_t odd[] = {0x7b7b7b7bu, 0xffffffffu, 0u};
  return place % 2 == 0 ? ~poisonWord : odd[(place / 2 + variant) % 3];
}

/// Addresses are those of the first run's bytes on the host.
class SecondMemory {
public:
  /// All bytes of [base, base + size) are unset.
  void begin(uint8_t *base, size_t size);
  bool holds(uint64_t at) const { return at - first < values.size(); }
  bool anyUnset() const { return unsetBytes != 0; }
  /// Whether some byte of [low, high) is unset; bytes outside of this memory are not.
  bool isUnset(uint64_t low, uint64_t high) const { return findUnset(low, high) != high; }
  /// The same of up to 64 bytes that are all in this memory.
  bool isUnset(uint64_t at, unsigned bytes) const {
    const uint64_t offset = at - first, bit = offset % blockBytes;
    const uint64_t *word = unset.data() + offset / blockBytes;
    return ((word[0] >> bit) | (word[1] << 1 << (blockBytes - 1 - bit))) & (~uint64_t(0) >> (64 - bytes));
  }
  bool overlaps(uint64_t low, uint64_t high) const { return low < first + values.size() && high > first; }
  bool holds(uint64_t low, uint64_t high) const { return low >= first && high <= first + values.size(); }
  /// The first such byte, or `high`.
  uint64_t findUnset(uint64_t low, uint64_t high) const;
  /// Where the byte's value comes from if it was stored while it was unset.
  Origin storedFrom(uint64_t at) const;

  /// Gives the second run the bytes of [low, high) that are the same in both.
  void copy(uint64_t low, uint64_t high);
  /// After both runs: bytes that differ are unset. They come from `from` if they were written or are unset only now.
  void compare(uint64_t low, uint64_t high, Origin from, bool written);
  /// Both runs have the same there.
  void settle(uint64_t low, uint64_t high);
  uint8_t *at(uint64_t address) { return values.data() + (address - first); }
  /// What to add to an address of the first run's memory to get that of the second's.
  uint64_t distance() const { return reinterpret_cast<uint64_t>(values.data()) - first; }

private:
  static constexpr unsigned blockBytes = 64;
  /// Cuts [low, high) to this memory, as offsets.
  bool cut(uint64_t &low, uint64_t &high) const;
  /// Calls `part(block, mask)` for each block that [low, high), offsets, touches, with the bits of its bytes there, until
  /// one returns true.
  template <typename Part> static bool eachBlock(uint64_t low, uint64_t high, Part part) {
    for (uint64_t block = low / blockBytes; low < high; low = ++block * blockBytes) {
      const uint64_t end = std::min(high, (block + 1) * blockBytes);
      const uint64_t mask = (end - low == blockBytes ? ~uint64_t(0) : (uint64_t(1) << (end - low)) - 1)
                            << low % blockBytes;
      if (part(block, mask)) return true;
    }
    return false;
  }
  bool isUnsetAt(size_t offset) const { return unset[offset / blockBytes] >> offset % blockBytes & 1; }
  void set(size_t block, uint64_t bits) {
    unsetBytes += static_cast<size_t>(std::popcount(bits)) - static_cast<size_t>(std::popcount(unset[block]));
    unset[block] = bits;
  }
  uint64_t first = 0;
  size_t unsetBytes = 0;
  std::vector<uint8_t> values;
  std::vector<uint64_t> unset;               ///< a bit per byte, a word per block, and one more
  std::unordered_map<size_t, Origin> stored; ///< by word
};

} // namespace fly::emulator
