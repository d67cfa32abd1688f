// Loads and stores whose lanes follow each other take a way of their own (Access.h); here they meet its edges: what is
// almost such a run, the ends of memory, indices that wrap. Each result is also that of the lanes one by one.
#include "tests/emulator/MemoryBench.h"

#include <gtest/gtest.h>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

constexpr unsigned bytes = 1 << 14;

struct Bench : MemoryBench {
  explicit Bench(const std::string &arch) : MemoryBench(arch, bytes) {
    for (unsigned k = 0; k < bytes; ++k) host[k] = static_cast<uint8_t>(k * 37 + (k >> 8) * 11);
    for (size_t k = 0; k < lds.size(); ++k) lds[k] = static_cast<uint8_t>(k * 29 + (k >> 8) * 7);
  }
  /// A load of `words` registers to v8 and on, lane l's bytes at `at(l)` from the buffer's begin.
  template <class At> void expectWords(unsigned words, At at) {
    for (unsigned l = 0; l < lanes(); ++l)
      for (unsigned k = 0; k < words; ++k)
        ASSERT_EQ(vgpr(8 + k, l), word(at(l) + 4 * k)) << arch << " lane " << l << " word " << k;
  }
};
struct Size {
  unsigned words;
  const char *gfx9, *gfx12;
};
constexpr Size sizes[] = {{1, "dword", "b32"}, {2, "dwordx2", "b64"}, {3, "dwordx3", "b96"}, {4, "dwordx4", "b128"}};
const char *const archs[] = {"gfx942", "gfx950", "gfx1201", "gfx1250"};

TEST(MemoryRun, GlobalLoadsAndStoresOfEachSizeInAndOutOfOrder) {
  for (const char *arch : archs)
    for (const Size &size : sizes) {
      Bench b(arch);
      const unsigned each = 4 * size.words;
      std::string suffix = isGfx12(b.row) ? size.gfx12 : size.gfx9,
                  registers = size.words == 1 ? "v8" : "v[8:" + std::to_string(7 + size.words) + "]";
      // In order; one lane out of order; all at one place; in reverse.
      for (unsigned order = 0; order < 4; ++order) {
        auto place = [&](unsigned l) {
          return (order == 1 && l == 17 ? 70u : order == 2 ? 3u : order == 3 ? 63 - l : l) * each + 4;
        };
        for (unsigned l = 0; l < b.lanes(); ++l) b.setVgpr64(2, l, b.device + place(l));
        ASSERT_TRUE(b.run("global_load_" + suffix + " " + registers + ", v[2:3], off")) << b.error();
        b.expectWords(size.words, place);
        for (unsigned l = 0; l < b.lanes(); ++l)
          for (unsigned k = 0; k < size.words; ++k) b.vgpr(8 + k, l) = 1000 * order + 4 * l + k;
        ASSERT_TRUE(b.run("global_store_" + suffix + " v[2:3], " + registers + ", off")) << b.error();
        if (order != 2) b.expectWords(size.words, place);
        else
          for (unsigned k = 0; k < size.words; ++k)
            EXPECT_EQ(b.word(place(0) + 4 * k), b.vgpr(8 + k, b.lanes() - 1)) << "the last lane's stay";
      }
    }
}

TEST(MemoryRun, EndsAtTheLastByteOfAnAllocation) {
  for (const char *arch : archs) {
    Bench b(arch);
    const std::string load =
        isGfx12(b.row) ? "global_load_b128 v[8:11], v[2:3], off" : "global_load_dwordx4 v[8:11], v[2:3], off";
    unsigned first = bytes - 16 * b.lanes();
    for (unsigned l = 0; l < b.lanes(); ++l) b.setVgpr64(2, l, b.device + first + 16 * l);
    ASSERT_TRUE(b.run(load)) << b.error();
    b.expectWords(4, [&](unsigned l) { return first + 16 * l; });
    for (unsigned l = 0; l < b.lanes(); ++l) b.setVgpr64(2, l, b.device + first + 16 * l + 1);
    EXPECT_FALSE(b.run(load));
    EXPECT_EQ(b.wave().fault.kind, FaultKind::OutOfBounds);
    EXPECT_EQ(b.wave().fault.lane, static_cast<int>(b.lanes() - 1)) << "the lanes before it are inside";
  }
}

// v1 is an offset of 32 bits to s[4:5]: unsigned, gfx1250: signed. Lanes whose offset wraps do not follow the others.
TEST(MemoryRun, OffsetsThatWrapAreNoRun) {
  for (const char *arch : archs) {
    Bench b(arch);
    const bool isSigned = b.row.signedScalarOffset;
    const std::string load = isGfx12(b.row) ? "global_load_b32 v8, v1, s[4:5]" : "global_load_dword v8, v1, s[4:5]";
    const uint32_t begin = isSigned ? 0x7fffffffu - 63 : 0xffffffffu - 63; // lanes 0 to 15 before the wrap
    for (unsigned l = 0; l < b.lanes(); ++l) b.vgpr(1, l) = begin + 4 * l;
    b.setSgpr64(4, b.device - begin);
    EXPECT_FALSE(b.run(load)) << arch;
    EXPECT_EQ(b.wave().fault.lane, 16) << arch;
  }
  Bench b("gfx1250"); // across zero a signed offset does not wrap
  for (unsigned l = 0; l < b.lanes(); ++l) b.vgpr(1, l) = 4 * l - 64;
  b.setSgpr64(4, b.device + 64);
  ASSERT_TRUE(b.run("global_load_b32 v8, v1, s[4:5]")) << b.error();
  b.expectWords(1, [](unsigned l) { return 4 * l; });
}

TEST(MemoryRun, LdsEndsAtItsLastByteAndOffsetsWrapAt32Bits) {
  for (const char *arch : archs) {
    Bench b(arch);
    const std::string load = isGfx12(b.row) ? "ds_load_b64 v[8:9], v1 offset:8" : "ds_read_b64 v[8:9], v1 offset:8";
    const uint32_t size = static_cast<uint32_t>(b.lds.size());
    for (uint32_t first : {size - 8 * b.lanes(), 0u}) { // 0: the addresses begin below zero
      for (unsigned l = 0; l < b.lanes(); ++l) b.vgpr(1, l) = first + 8 * l - 8;
      ASSERT_TRUE(b.run(load)) << b.error();
      for (unsigned l = 0; l < b.lanes(); ++l)
        for (unsigned k = 0; k < 2; ++k)
          ASSERT_EQ(b.vgpr(8 + k, l), b.ldsWord(first + 8 * l + 4 * k)) << arch << " " << l;
    }
    for (unsigned l = 0; l < b.lanes(); ++l) b.vgpr(1, l) = size - 8 * b.lanes() + 8 * l;
    EXPECT_FALSE(b.run(load));
    EXPECT_EQ(b.wave().fault.lane, static_cast<int>(b.lanes() - 1));
  }
}

TEST(MemoryRun, PairsOfLdsElementsSideBySideAndApart) {
  for (const char *arch : archs)
    for (unsigned second : {4u, 5u, 9u, 0u}) {
      Bench b(arch);
      const std::string offsets = " offset0:4 offset1:" + std::to_string(second);
      for (unsigned l = 0; l < b.lanes(); ++l) {
        b.vgpr(1, l) = 80 * l;
        for (unsigned k = 0; k < 4; ++k) b.vgpr(12 + k, l) = 100 * l + k;
      }
      ASSERT_TRUE(b.run((isGfx12(b.row) ? "ds_load_2addr_b64 v[8:11], v1" : "ds_read2_b64 v[8:11], v1") + offsets))
          << b.error();
      for (unsigned l = 0; l < b.lanes(); ++l)
        for (unsigned k = 0; k < 4; ++k)
          ASSERT_EQ(b.vgpr(8 + k, l), b.ldsWord(80 * l + (k < 2 ? 32 : 8 * second) + 4 * (k & 1)));
      ASSERT_TRUE(b.run(
          (isGfx12(b.row) ? "ds_store_2addr_b64 v1, v[12:13], v[14:15]" : "ds_write2_b64 v1, v[12:13], v[14:15]") +
          offsets))
          << b.error();
      for (unsigned l = 0; l < b.lanes(); ++l)
        for (unsigned k = second == 4 ? 2 : 0; k < 4; ++k)
          ASSERT_EQ(b.ldsWord(80 * l + (k < 2 ? 32 : 8 * second) + 4 * (k & 1)), 100 * l + k);
    }
}

} // namespace
