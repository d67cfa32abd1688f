// Whether memory of this process can be read, without touching it: the kernel copies a byte of each page for us and
// reports what it cannot. /proc/self/maps would not do, since pages of a file that was cut short are listed there.
#pragma once

#include <cstdint>

namespace fly::hip_emulated {

class ImageMemory {
public:
  explicit ImageMemory(const char *start) : start(reinterpret_cast<uintptr_t>(start)) {}
  /// All of [offset, offset + size) from the start. Where the kernel forbids such copies, everything counts as
  /// readable.
  bool isReadable(uint64_t offset, uint64_t size);

private:
  uintptr_t start;
  uintptr_t knownFrom = 0, knownTo = 0; ///< pages that are known to be readable
};

} // namespace fly::hip_emulated
