// A StepBench with device memory attached, for tests of memory instructions.
#pragma once

#include "tests/emulator/StepBench.h"

#include <cstring>

namespace fly::emulator::test {

struct MemoryBench : StepBench {
  uint8_t *host; ///< the bytes at `device`
  uint64_t device;
  MemoryBench(const std::string &arch, uint64_t bytes) : StepBench(arch, {.vgprs = 128}) {
    device = allocate(bytes, &host);
    m0() = 0;
  }

  // By byte addresses.
  uint32_t word(uint64_t at) const {
    uint32_t v;
    std::memcpy(&v, host + at, 4);
    return v;
  }
  uint32_t ldsWord(uint64_t at) const {
    uint32_t v;
    std::memcpy(&v, lds.data() + at, 4);
    return v;
  }
  template <class T> void put(uint64_t at, T v) { std::memcpy(host + at, &v, sizeof v); }
  template <class T> void putLds(uint64_t at, T v) { std::memcpy(lds.data() + at, &v, sizeof v); }

  /// s[8:11]: a buffer at `device`.
  void resource(uint32_t records, uint32_t stride = 0, uint32_t word3 = 0, bool swizzled = false) {
    setSgpr64(8, device);
    sgpr(10) = records;
    sgpr(11) = word3;
    if (row.wideBuffers) { // 45 bits of records after 57 of the base
      sgpr(9) |= records << 25;
      sgpr(10) = records >> 7;
    } else sgpr(9) |= stride << 16 | (swizzled ? 1u << 31 : 0);
  }
};

} // namespace fly::emulator::test
