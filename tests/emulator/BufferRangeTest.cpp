// Where buffers end, per architecture: rules of the manuals and of AMD's corrections to its own emulator after
// comparing it with hardware (ROCm/rocm-systems, by number). Descriptor words are literals here, so that the tables of
// the compiler and the emulator cannot agree on a mistake.
#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/MemoryBench.h"

#include <gtest/gtest.h>

namespace fly::emulator::test {

namespace {

struct Bench : MemoryBench {
  explicit Bench(const std::string &arch) : MemoryBench(arch, 1 << 16) {
    for (unsigned k = 0; k < 1u << 16; ++k) host[k] = static_cast<uint8_t>(k * 37 + (k >> 8) * 11);
  }
  void checked(const std::string &text, const char *source = "document") {
    int n = add(text);
    ASSERT_TRUE(step(n)) << error();
    recordSource(arch, fly::isa::name(instruction(n).op), source);
  }
  /// gfx1250's resource, by the rows of CDNA5 ISA, table 57. `top`: bits 127:122.
  void wide(uint64_t records, uint32_t stride = 0, uint32_t top = 0) {
    setSgpr64(8, device | records << 57);
    sgpr(10) = static_cast<uint32_t>(records >> 7);
    sgpr(11) = static_cast<uint32_t>(records >> 39) | stride << 12 | top << 26;
  }
};
const char *const gfx9s[] = {"gfx942", "gfx950"};

} // namespace

TEST(BufferRange, RawBuffersEndAtNumRecordsDwordByDword) {
  for (const char *arch : gfx9s) {
    Bench b(arch);
    b.resource(40);
    for (unsigned l = 0; l < 64; ++l) b.vgpr(1, l) = 4 * l;
    b.checked("buffer_load_dwordx4 v[4:7], v1, s[8:11], 0 offen");
    for (unsigned l = 0; l < 64; ++l)
      for (unsigned k = 0; k < 4; ++k)
        EXPECT_EQ(b.vgpr(4 + k, l), 4 * (l + k) < 40 ? b.word(4 * (l + k)) : 0) << l << " " << k;
    b.sgpr(5) = 16; // the scalar offset counts
    b.checked("buffer_load_dword v4, v1, s[8:11], s5 offen offset:4");
    for (unsigned l = 0; l < 64; ++l) EXPECT_EQ(b.vgpr(4, l), 4 * l + 20 < 40 ? b.word(4 * l + 20) : 0) << l;
    for (unsigned l = 0; l < 64; ++l) b.vgpr(8, l) = 0x500 + l;
    b.checked("buffer_store_dword v8, v1, s[8:11], 0 offen");
    EXPECT_EQ(b.word(36), 0x509u);
    EXPECT_NE(b.word(40), 0x50au) << "out of range: not written";
    b.vgpr(1, 0) = ~3u;
    b.checked("buffer_load_dword v4, v1, s[8:11], 0 offen");
    EXPECT_EQ(b.vgpr(4, 0), 0u) << "a negative offset is out of range";
    // ROCm/rocm-systems#10928: the sum with the instruction's offset wraps at 32 bits first.
    b.checked("buffer_load_dword v4, v1, s[8:11], 0 offen offset:8");
    EXPECT_EQ(b.vgpr(4, 0), b.word(4));
  }
}

TEST(BufferRange, StructuredBuffersCountRecords) {
  for (const char *arch : gfx9s) {
    Bench b(arch);
    b.resource(5, 24);
    for (unsigned l = 0; l < 64; ++l) b.vgpr(1, l) = b.vgpr(2, l) = l, b.vgpr(3, l) = 4 * (l & 7);
    b.checked("buffer_load_dword v4, v1, s[8:11], 0 idxen offset:8");
    for (unsigned l = 0; l < 64; ++l) EXPECT_EQ(b.vgpr(4, l), l < 5 ? b.word(24 * l + 8) : 0) << l;
    b.checked("buffer_load_dword v4, v[2:3], s[8:11], 0 idxen offen");
    for (unsigned l = 0; l < 64; ++l)
      EXPECT_EQ(b.vgpr(4, l), l < 5 ? b.word(24 * l + 4 * (l & 7)) : 0) << l << ": the offset may exceed the stride";
    b.resource(64, 16, 1u << 23); // add-tid: the lane is the index
    b.checked("buffer_load_dword v4, off, s[8:11], 0 offset:12");
    for (unsigned l = 0; l < 64; ++l) EXPECT_EQ(b.vgpr(4, l), b.word(16 * l + 12)) << l;
    b.resource(3, 16, 1u << 23); // unchecked: ROCm/rocm-systems#10928
    b.checked("buffer_load_dword v4, off, s[8:11], 0 offset:12");
    for (unsigned l = 0; l < 64; ++l) EXPECT_EQ(b.vgpr(4, l), b.word(16 * l + 12)) << l;
    b.resource(64, 16, 1u << 23); // idxen's index alone in a linear buffer: the same source
    for (unsigned l = 0; l < 64; ++l) b.vgpr(1, l) = 7;
    b.checked("buffer_load_dword v4, v1, s[8:11], 0 idxen");
    for (unsigned l = 0; l < 64; ++l) EXPECT_EQ(b.vgpr(4, l), b.word(7 * 16)) << l;
  }
}

TEST(BufferRange, SwizzledBuffersInterleaveIndices) {
  for (const char *arch : gfx9s)
    for (unsigned code = 0; code < 4; ++code) {
      Bench b(arch);
      unsigned stride = 32, together = 8u << code;
      b.resource(256, stride, code << 21, true);
      // Where element (index, word) lies: blocks of `together` indices, in them word after word, in that the indices.
      std::vector<std::vector<unsigned>> at(256, std::vector<unsigned>(stride / 4));
      unsigned next = 0;
      for (unsigned block = 0; block < 256; block += together)
        for (unsigned word = 0; word < stride / 4; ++word)
          for (unsigned index = block; index < block + together; ++index, next += 4) at[index][word] = next;
      for (unsigned l = 0; l < 64; ++l) b.vgpr(2, l) = (l * 7 + 3) & 255, b.vgpr(3, l) = l * 12 % 32;
      b.checked("buffer_load_dword v4, v[2:3], s[8:11], 0 idxen offen");
      for (unsigned l = 0; l < 64; ++l)
        EXPECT_EQ(b.vgpr(4, l), b.word(at[b.vgpr(2, l)][b.vgpr(3, l) / 4])) << l << " together " << together;
    }
}

TEST(BufferRange, AtomicsAreAllOrNothing) { // ROCm/rocm-systems#10928; CDNA5 ISA, 9.4.1
  for (const char *arch : {"gfx942", "gfx950", "gfx1250"}) {
    Bench b(arch);
    const bool wide = b.arch == "gfx1250";
    if (wide) b.wide(20);
    else b.resource(20);
    const unsigned lanes = wide ? 32 : 64;
    for (unsigned l = 0; l < lanes; ++l) b.vgpr(1, l) = 8 * l, b.vgpr(4, l) = 1, b.vgpr(5, l) = 0;
    const uint32_t first = b.word(0), beyond = b.word(16);
    b.checked(wide ? "buffer_atomic_add_u64 v[4:5], v1, s[8:11], null offen"
                   : "buffer_atomic_add_x2 v[4:5], v1, s[8:11], 0 offen");
    EXPECT_EQ(b.word(0), first + 1);
    EXPECT_EQ(b.word(16), beyond) << "four of its eight bytes are inside";
  }
}

TEST(BufferRange, Gfx1201SelectsItsCheck) {
  Bench b("gfx1201");
  for (unsigned l = 0; l < 32; ++l) b.vgpr(1, l) = b.vgpr(2, l) = l, b.vgpr(3, l) = 4 * (l & 7);
  for (unsigned select = 0; select < 4; ++select) {
    b.resource(select == 3 ? 100 : 5, 24, select << 28);
    b.checked("buffer_load_b64 v[4:5], v[2:3], s[8:11], null idxen offen");
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned word = 0; word < 2; ++word) {
        unsigned offset = 4 * (l & 7), at = 24 * l + offset;
        bool in = select == 0   ? l < 5 && offset + 8 <= 24
                  : select == 1 ? l < 5
                  : select == 2 ? true
                                : at + 4 * word + 4 <= 100; // dword by dword: rocm-systems' addr_calc_buffer.h
        EXPECT_EQ(b.vgpr(4 + word, l), in ? b.word(at + 4 * word) : 0) << select << " " << l;
      }
  }
  // Mode 3 has the SGPR's offset in its sum (ROCm/rocMLIR#678), and the offsets of a lane wrap at 32 bits.
  b.resource(64, 0, 3u << 28);
  b.sgpr(5) = 32;
  for (unsigned l = 0; l < 32; ++l) b.vgpr(1, l) = 4 * l;
  b.vgpr(1, 31) = ~3u;
  b.checked("buffer_load_b32 v4, v1, s[8:11], s5 offen");
  for (unsigned l = 0; l < 31; ++l) EXPECT_EQ(b.vgpr(4, l), l < 8 ? b.word(32 + 4 * l) : 0) << l;
  EXPECT_EQ(b.vgpr(4, 31), 0u);
  b.checked("buffer_load_b32 v4, v1, s[8:11], s5 offen offset:8");
  EXPECT_EQ(b.vgpr(4, 31), b.word(36));
}

//===--------------------------------------------------------------------------------------------------------===//
// gfx1250: CDNA5 ISA of July 2026, 9.4 and 9.6
//===--------------------------------------------------------------------------------------------------------===//

TEST(BufferRangeOfGfx1250, RawBuffersEndAtNumRecordsDwordByDword) {
  Bench b("gfx1250");
  b.wide(40);
  for (unsigned l = 0; l < 32; ++l) b.vgpr(1, l) = 4 * l;
  b.checked("buffer_load_b128 v[4:7], v1, s[8:11], null offen");
  for (unsigned l = 0; l < 32; ++l)
    for (unsigned k = 0; k < 4; ++k)
      EXPECT_EQ(b.vgpr(4 + k, l), 4 * (l + k) < 40 ? b.word(4 * (l + k)) : 0) << l << " " << k;
  b.wide(168); // in two words
  b.checked("buffer_load_b32 v4, v1, s[8:11], null offen offset:64");
  for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(b.vgpr(4, l), 64 + 4 * l < 168 ? b.word(64 + 4 * l) : 0) << l;
  b.wide(64); // the SGPR's offset is in the sum
  b.sgpr(5) = 32;
  b.checked("buffer_load_b32 v4, v1, s[8:11], s5 offen");
  for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(b.vgpr(4, l), l < 8 ? b.word(32 + 4 * l) : 0) << l;
}

TEST(BufferRangeOfGfx1250, AllOnesAreUncheckedAndZeroIsUnbound) {
  Bench b("gfx1250");
  for (unsigned l = 0; l < 32; ++l) b.vgpr(1, l) = 1024 * l;
  b.wide((uint64_t(1) << 45) - 1);
  b.checked("buffer_load_b32 v4, v1, s[8:11], null offen");
  for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(b.vgpr(4, l), b.word(1024 * l)) << l;
  b.wide(0);
  b.checked("buffer_load_b32 v4, v1, s[8:11], null offen");
  for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(b.vgpr(4, l), 0u) << l;
}

TEST(BufferRangeOfGfx1250, StridesAreScaledAndRecordsAreBytes) {
  Bench b("gfx1250");
  const unsigned scales[] = {1, 4, 8, 32};
  for (unsigned code = 0; code < 4; ++code) {
    b.wide(4 * scales[code] * 9, 4, code);
    for (unsigned l = 0; l < 32; ++l) b.vgpr(1, l) = l;
    b.checked("buffer_load_b32 v4, v1, s[8:11], null idxen");
    for (unsigned l = 0; l < 32; ++l)
      EXPECT_EQ(b.vgpr(4, l), l < 9 ? b.word(4 * scales[code] * l) : 0) << code << " " << l;
  }
}

TEST(BufferRangeOfGfx1250, OutOfBoundsSelectComparesWithTheStride) {
  Bench b("gfx1250");
  for (unsigned select : {0u, 1u}) {
    b.wide(16 * 32, 16, select << 3); // bit 125
    for (unsigned l = 0; l < 32; ++l) b.vgpr(2, l) = l & 3, b.vgpr(3, l) = l;
    b.checked("buffer_load_b32 v4, v[2:3], s[8:11], null idxen offen");
    for (unsigned l = 0; l < 32; ++l)
      EXPECT_EQ(b.vgpr(4, l), select && l + 4 > 16 ? 0 : b.word(16 * (l & 3) + l)) << select << " " << l;
  }
}

TEST(BufferRangeOfGfx1250, SwizzledBuffersInterleave32IndicesBy16Bytes) {
  Bench b("gfx1250");
  b.wide(4, 64, 1u << 2); // bit 124; nothing is checked
  for (unsigned l = 0; l < 32; ++l) b.vgpr(2, l) = (l * 11 + 5) & 63, b.vgpr(3, l) = 4 * (l % 12);
  b.sgpr(5) = 16; // inside of what is swizzled
  b.checked("buffer_load_b32 v4, v[2:3], s[8:11], s5 idxen offen");
  for (unsigned l = 0; l < 32; ++l) {
    const unsigned index = b.vgpr(2, l), offset = b.vgpr(3, l) + 16;
    const unsigned at = ((index / 32) * 64 + offset / 16 * 16) * 32 + (index % 32) * 16 + offset % 16;
    EXPECT_EQ(b.vgpr(4, l), b.word(at)) << l;
  }
}

TEST(BufferRangeOfGfx1250, AnotherTypeIsIgnored) {
  Bench b("gfx1250");
  for (unsigned type = 1; type < 4; ++type) {
    b.wide(4096, 0, type << 4); // bits 127:126
    for (unsigned l = 0; l < 32; ++l) b.vgpr(1, l) = 4 * l, b.vgpr(4, l) = 0xabcd0000 + l;
    b.checked("buffer_load_b32 v4, v1, s[8:11], null offen");
    for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(b.vgpr(4, l), 0xabcd0000 + l) << "the destination is left";
    const uint32_t before = b.word(0);
    b.checked("buffer_store_b32 v4, v1, s[8:11], null offen");
    EXPECT_EQ(b.word(0), before);
  }
}

TEST(BufferRangeOfGfx1250, ScalarLoadsHaveTheWideLayout) { // CDNA5 ISA, 8.1.2 and 8.4.1
  Bench b("gfx1250");
  b.wide(8, 4, 3); // the scale of the stride is vector memory's
  for (unsigned k = 20; k < 28; ++k) b.sgpr(k) = 0xdead;
  b.checked("s_buffer_load_b256 s[20:27], s[8:11], 0x4");
  for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(b.sgpr(20 + k), k < 7 ? b.word(4 + 4 * k) : 0) << k;
  b.wide(24);
  b.checked("s_buffer_load_b128 s[20:23], s[8:11], 0x10");
  for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(b.sgpr(20 + k), k < 2 ? b.word(16 + 4 * k) : 0) << k;
}

} // namespace fly::emulator::test
