// Memory instructions beyond plain loads and stores, against what the documents say of them: typed buffers, loads to
// LDS, transposing reads, the odd DS instructions, scalar stores and atomics.
#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/MemoryBench.h"
#include "tests/emulator/TestSupport.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

struct Bench : MemoryBench {
  explicit Bench(const std::string &arch) : MemoryBench(arch, 1 << 16) {
    for (unsigned k = 0; k < 1u << 16; ++k) host[k] = static_cast<uint8_t>(k * 37 + (k >> 8) * 11);
    for (size_t k = 0; k < lds.size(); ++k) lds[k] = static_cast<uint8_t>(k * 29 + (k >> 8) * 7);
  }
  void checked(const std::string &text, const char *source = "document") {
    int n = add(text);
    ASSERT_TRUE(step(n)) << error();
    recordSource(arch, fly::isa::name(instruction(n).op), source);
  }
};
const char *const gfx9s[] = {"gfx942", "gfx950"};

TEST(LoadsToLds, LandAtM0PlusOffsetPlusLane) {
  struct Case {
    const char *name;
    unsigned bytes;
    bool isSigned, gfx950Only;
  };
  const Case cases[] = {{"ubyte", 1, false, false},  {"sbyte", 1, true, false},  {"ushort", 2, false, false},
                        {"sshort", 2, true, false},  {"dword", 4, false, false}, {"dwordx3", 12, false, true},
                        {"dwordx4", 16, false, true}};
  for (const char *arch : gfx9s)
    for (const Case &c : cases)
      for (bool buffer : {false, true}) {
        if (c.gfx950Only && std::string(arch) == "gfx942") continue;
        SCOPED_TRACE(std::string(arch) + " " + c.name);
        Bench b(arch);
        std::vector<uint8_t> expected = b.lds;
        unsigned stride = c.bytes < 4 ? 4 : c.bytes;
        b.m0() = 0x140;
        b.setExec(~0ull - 0x30); // lanes 4 and 5 do not take part
        b.resource(1000);
        for (unsigned l = 0; l < 64; ++l) {
          uint32_t offset = (l * 5 % 64) * 16;
          b.setVgpr64(2, l, b.device + offset);
          b.vgpr(1, l) = buffer && l == 9 ? 5000 : offset; // lane 9 is out of range: zero
          if (l == 4 || l == 5) continue;
          uint8_t bytes[16] = {};
          bool outside = buffer && (l == 9 || offset + 16 + c.bytes > 1000);
          if (!outside) std::memcpy(bytes, b.host + offset + 16, c.bytes);
          else if (l != 9 && c.bytes > 4 && offset + 16 < 1000)
            std::memcpy(bytes, b.host + offset + 16, (1000 - offset - 16) / 4 * 4);
          if (c.isSigned && c.bytes == 1 && bytes[0] & 0x80) bytes[1] = bytes[2] = bytes[3] = 0xff;
          if (c.isSigned && c.bytes == 2 && bytes[1] & 0x80) bytes[2] = bytes[3] = 0xff;
          std::memcpy(expected.data() + 0x140 + 16 + l * stride, bytes, stride);
        }
        b.checked(buffer ? std::string("buffer_load_") + c.name + " v1, s[8:11], 0 offen offset:16 lds"
                         : std::string("global_load_lds_") + c.name + " v[2:3], off offset:16");
        EXPECT_EQ(b.lds, expected);
      }
}

TEST(TransposingReads, GiveEachLaneAColumnOfItsGroupsTile) {
  struct Case {
    const char *text;
    unsigned words, bits;
  };
  const Case cases[] = {{"ds_read_b64_tr_b16 v[4:5], v1", 2, 16},
                        {"ds_read_b64_tr_b8 v[4:5], v1", 2, 8},
                        {"ds_read_b64_tr_b4 v[4:5], v1", 2, 4},
                        {"ds_read_b96_tr_b6 v[4:6], v1", 3, 6}};
  Bench b("gfx950");
  for (const Case &c : cases) {
    // Rows of the tile lie apart, in any order: row r of group g at `rowAt`. A row has 16 elements.
    unsigned rows = 32 * c.words / c.bits, rowBits = 16 * c.bits, laneBits = 32 * c.words,
             lanesPerRow = rowBits / laneBits ? rowBits / laneBits : 1;
    auto rowAt = [&](unsigned g, unsigned r) { return 4096u * g + (r * 11 % rows) * 128; };
    for (unsigned l = 0; l < 64; ++l) {
      unsigned bit = (l & 15) * laneBits, r = bit / rowBits, rest = bit % rowBits;
      ASSERT_EQ(rowBits % laneBits, 0u) << lanesPerRow;
      b.vgpr(1, l) = rowAt(l / 16, r) + rest / 8;
    }
    b.checked(c.text);
    for (unsigned l = 0; l < 64; ++l)
      for (unsigned r = 0; r < rows; ++r) {
        auto bitOf = [&](unsigned n) { return b.lds[rowAt(l / 16, r) + n / 8] >> n % 8 & 1; };
        for (unsigned k = 0; k < c.bits; ++k) {
          unsigned at = r * c.bits + k;
          ASSERT_EQ(b.vgpr(4 + at / 32, l) >> at % 32 & 1, static_cast<unsigned>(bitOf((l & 15) * c.bits + k)))
              << c.text << " lane " << l << " row " << r;
        }
      }
  }
}

TEST(TransposingReads, OfAGroupThatIsNotWholeAreReported) {
  Bench b("gfx950");
  for (unsigned l = 0; l < 64; ++l) b.vgpr(1, l) = 8 * l;
  int n = b.add("ds_read_b64_tr_b16 v[4:5], v1");
  for (uint64_t exec : {uint64_t(0), uint64_t(0xffff), uint64_t(0xffff0000ffff0000), ~uint64_t(0)}) { // whole groups
    b.setExec(exec);
    EXPECT_TRUE(b.step(n)) << b.error();
  }
  for (uint64_t exec : {uint64_t(1), uint64_t(0xfff), uint64_t(0x1ffff), ~uint64_t(0) >> 1}) {
    b.setExec(exec);
    EXPECT_FALSE(b.step(n)) << exec;
    EXPECT_NE(b.error().find("some lanes of 16 are disabled"), std::string::npos) << b.error();
  }
}

TEST(Lds, SwizzleInFftModeAsTheTablesSay) {
  // The manual's tables: for offset[4:0] the lane, counted from 1, that each of 32 lanes reads.
  const std::pair<unsigned, std::vector<unsigned>> tables[] = {
      {0x00, {0x1, 0x11, 0x9, 0x19, 0x5, 0x15, 0xd, 0x1d, 0x3, 0x13, 0xb, 0x1b, 0x7, 0x17, 0xf,  0x1f,
              0x2, 0x12, 0xa, 0x1a, 0x6, 0x16, 0xe, 0x1e, 0x4, 0x14, 0xc, 0x1c, 0x8, 0x18, 0x10, 0x20}},
      {0x10, {0x1,  0x9,  0x5,  0xd,  0x3,  0xb,  0x7,  0xf,  0x2,  0xa,  0x6,  0xe,  0x4,  0xc,  0x8,  0x10,
              0x11, 0x19, 0x15, 0x1d, 0x13, 0x1b, 0x17, 0x1f, 0x12, 0x1a, 0x16, 0x1e, 0x14, 0x1c, 0x18, 0x20}}};
  for (const char *arch : architectures) {
    Bench b(arch);
    for (const auto &[mask, from] : tables) {
      for (unsigned l = 0; l < b.lanes(); ++l) b.vgpr(1, l) = 100 + l;
      b.checked("ds_swizzle_b32 v4, v1 offset:" + std::to_string(0xe000 + mask));
      for (unsigned l = 0; l < b.lanes(); ++l) EXPECT_EQ(b.vgpr(4, l), 100 + (l & ~31u) + from[l & 31] - 1) << l;
    }
    b.checked("ds_swizzle_b32 v4, v1 offset:" + std::to_string(0xe01f));
    for (unsigned l = 0; l < b.lanes(); ++l) EXPECT_EQ(b.vgpr(4, l), 100 + l) << "0x1f: no swizzle";
  }
}

// CDNA5 ISA, 15.15: worked examples of each mode, as lanes counted from 0. LLVM's assembler writes the offsets: what
// its swizzle(...) means is in the names.
TEST(Lds, SwizzleOfCdna5AsItsExamplesSay) {
  Bench b("gfx1250");
  const uint32_t exec = 0xfff7ffdf; // lanes 5 and 19 are not there: whoever reads them gets 0
  b.setExec(exec);
  auto expectFrom = [&](const std::string &offset, auto from) {
    for (unsigned l = 0; l < 32; ++l) b.vgpr(1, l) = 100 + l, b.vgpr(4, l) = 7;
    b.checked("ds_swizzle_b32 v4, v1 offset:" + offset, "manual");
    for (unsigned l = 0; l < 32; ++l) {
      if (!(exec >> l & 1)) continue;
      const unsigned source = from(l);
      EXPECT_EQ(b.vgpr(4, l), exec >> source & 1 ? 100 + source : 0u) << offset << " lane " << l;
    }
  };
  const unsigned fft[] = {0, 16, 8, 24, 4, 20, 12, 28, 2, 18, 10, 26, 6, 22, 14, 30};
  expectFrom("swizzle(FFT,0x0)", [&](unsigned l) { return fft[l % 16] + l / 16; });
  const unsigned fft16[] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
  expectFrom("swizzle(FFT,0x10)", [&](unsigned l) { return l / 16 * 16 + fft16[l % 16]; });
  expectFrom("swizzle(FFT,0x1f)", [](unsigned l) { return l; });
  for (unsigned amount : {1u, 7u, 31u}) {
    expectFrom("swizzle(ROTATE,0," + std::to_string(amount) + ")", [&](unsigned l) { return (l + amount) % 32; });
    expectFrom("swizzle(ROTATE,1," + std::to_string(amount) + ")", [&](unsigned l) { return (l + 32 - amount) % 32; });
  }
  // Rotated by one with mask 1: the odd lanes are displaced by two, the even ones stay; the other way, likewise.
  expectFrom(std::to_string(0xc000 | 1 << 5 | 1), [](unsigned l) { return l & 1 ? (l + 2) % 32 : l; });
  expectFrom(std::to_string(0xc400 | 1 << 5 | 1), [](unsigned l) { return l & 1 ? l : (l + 30) % 32; });
  const unsigned quad[] = {1, 3, 0, 2};
  expectFrom("swizzle(QUAD_PERM,1,3,0,2)", [&](unsigned l) { return l / 4 * 4 + quad[l % 4]; });
  for (unsigned size : {1u, 2u, 4u, 8u, 16u})
    expectFrom("swizzle(SWAP," + std::to_string(size) + ")",
               [&](unsigned l) { return l / size % 2 ? l - size : l + size; });
  for (unsigned size : {2u, 4u, 8u, 16u, 32u}) {
    expectFrom("swizzle(REVERSE," + std::to_string(size) + ")",
               [&](unsigned l) { return l / size * size + size - 1 - l % size; });
    expectFrom("swizzle(BROADCAST," + std::to_string(size) + ",1)", [&](unsigned l) { return l / size * size + 1; });
  }
}

TEST(Lds, OddAtomics) {
  for (const char *arch : architectures) {
    Bench b(arch);
    const bool gfx12 = isGfx12(b.row);
    b.setExec(1);
    b.vgpr(1, 0) = 64;
    b.putLds(64, 0x12345678u);
    b.vgpr(2, 0) = 0x0000ffff, b.vgpr(3, 0) = 0x00000abc;
    b.checked("ds_mskor_rtn_b32 v4, v1, v2, v3");
    EXPECT_EQ(b.vgpr(4, 0), 0x12345678u);
    EXPECT_EQ(b.ldsWord(64), 0x12340abcu);
    b.putLds(64, 0x1122334455667788ull);
    b.setVgpr64(6, 0, 0x8000001200000034ull); // only the upper half has its flag
    b.checked("ds_condxchg32_rtn_b64 v[4:5], v1, v[6:7]");
    EXPECT_EQ(b.vgpr64(4, 0), 0x1122334455667788ull);
    EXPECT_EQ(b.ldsWord(64), 0x55667788u);
    EXPECT_EQ(b.ldsWord(68), 0x12u);
    auto minimum = [&](float old, float data) {
      b.putLds(64, old);
      b.vgpr(2, 0) = std::bit_cast<uint32_t>(data);
      b.checked(gfx12 ? "ds_min_num_f32 v1, v2" : "ds_min_f32 v1, v2");
      return std::bit_cast<float>(b.ldsWord(64));
    };
    EXPECT_EQ(minimum(3, 2), 2);
    EXPECT_EQ(minimum(3, NAN), 3);
    EXPECT_EQ(minimum(NAN, 2), 2);
    EXPECT_TRUE(std::signbit(minimum(0.0f, -0.0f))) << "-0 is less than +0";
    if (!gfx12) {
      b.putLds(64, -0.0f); // equality of numbers
      b.vgpr(2, 0) = 0, b.vgpr(3, 0) = std::bit_cast<uint32_t>(5.0f);
      b.checked("ds_cmpst_f32 v1, v2, v3");
      EXPECT_EQ(b.ldsWord(64), std::bit_cast<uint32_t>(5.0f));
      b.putLds(64, 10u);
      b.vgpr(2, 0) = 7, b.vgpr(3, 0) = 100;
      b.checked("ds_wrap_rtn_b32 v4, v1, v2, v3");
      EXPECT_EQ(b.ldsWord(64), 3u);
      b.checked("ds_wrap_rtn_b32 v4, v1, v2, v3");
      EXPECT_EQ(b.ldsWord(64), 103u);
    }
    b.setExec(b.laneMask() & 0xf0f0f0f0f0f0f0f0ull);
    b.m0() = 256;
    b.checked(gfx12 ? "ds_load_addtid_b32 v4 offset:8" : "ds_read_addtid_b32 v4 offset:8");
    for (unsigned l = 4; l < 8; ++l) EXPECT_EQ(b.vgpr(4, l), b.ldsWord(264 + 4 * l));
    for (unsigned l = 0; l < b.lanes(); ++l) b.vgpr(5, l) = 0x9000 + l;
    uint32_t untouched = b.ldsWord(512);
    b.checked(gfx12 ? "ds_store_addtid_b32 v5 offset:256" : "ds_write_addtid_b32 v5 offset:256");
    EXPECT_EQ(b.ldsWord(512), untouched);
    EXPECT_EQ(b.ldsWord(512 + 16), 0x9004u);
    b.putLds(256, 40u);
    b.checked("ds_append v4");
    EXPECT_EQ(b.vgpr(4, 4), 40u);
    EXPECT_EQ(b.ldsWord(256), 40 + b.lanes() / 2);
    b.checked("ds_consume v4");
    EXPECT_EQ(b.vgpr(4, 4), 40 + b.lanes() / 2);
    EXPECT_EQ(b.ldsWord(256), 40u);
  }
}

/// One element of typed memory and what its components are.
struct Typed {
  unsigned gfx9Data, number, gfx12;
  std::vector<uint8_t> bytes;
  std::vector<double> values;
};
const std::vector<Typed> typedElements = {
    {10, 0, 42, {0, 255, 51, 128}, {0, 1, 0.2, 128.0 / 255}}, // 8_8_8_8 unorm
    {10, 1, 43, {0x7f, 0x81, 0x80, 0}, {1, -1, -1, 0}},       // snorm: both ends are -1
    {10, 4, 46, {1, 2, 3, 200}, {1, 2, 3, 200}},              // uint
    {10, 5, 47, {1, 0xff, 0x80, 0x7f}, {1, -1, -128, 127}},   // sint
    {10, 2, 44, {0, 7, 255, 1}, {0, 7, 255, 1}},              // uscaled
    {5, 7, 29, {0x00, 0x3c, 0x00, 0xc0}, {1, -2, 0, 1}},      // 16_16 float; Z and W by default
    {9, 0, 36, {0xff, 0x03, 0x00, 0xc0}, {1, 0, 0, 1}},       // 2_10_10_10 unorm: X lowest, W on top
    {8, 4, 34, {0x03, 0x00, 0xc0, 0xff}, {3, 0, 0, 1023}},    // 10_10_10_2 uint: X is two bits
    {6, 7, 30, {0xc0, 0x03, 0x1e, 0x78}, {1, 1, 1, 1}},       // 10_11_11 float
    {4, 7, 22, {0, 0, 0x20, 0x40}, {2.5, 0, 0, 1}},           // 32 float
    {14, 7, 63, {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40, 0, 0, 0x80, 0x40}, {1, 2, 3, 4}}};

TEST(TypedBuffers, ConvertBetweenMemoryAndRegisters) {
  for (const char *arch : {"gfx942", "gfx950", "gfx1201"}) {
    Bench b(arch);
    const bool gfx12 = isGfx12(b.row);
    b.setExec(1);
    b.vgpr(1, 0) = 0;
    for (const Typed &t : typedElements) {
      unsigned gfx9 = t.gfx9Data | t.number << 4;
      SCOPED_TRACE(std::string(arch) + " format " + std::to_string(gfx12 ? t.gfx12 : gfx9));
      const bool integer = t.number == 4 || t.number == 5;
      const uint32_t identity = 4 | 5 << 3 | 6 << 6 | 7 << 9;
      b.resource(4096, 0, gfx12 ? identity | t.gfx12 << 12 | 3u << 28 : identity | t.number << 12 | t.gfx9Data << 15);
      std::string zero = gfx12 ? "null" : "0";
      auto same = [&](unsigned k, uint32_t v) {
        return integer ? static_cast<int32_t>(v) == static_cast<int32_t>(t.values[k])
                       : std::abs(std::bit_cast<float>(v) - t.values[k]) < 1e-7;
      };
      for (bool typed : {false, true}) {
        std::string format =
            typed ? gfx12 ? " format:" + std::to_string(t.gfx12)
                          : " format:[" + std::to_string(t.gfx9Data) + "," + std::to_string(t.number) + "]"
                  : "";
        if (typed && !gfx12) format = " format:" + std::to_string(gfx9);
        std::string name = typed ? "tbuffer_" : "buffer_";
        std::memcpy(b.host, t.bytes.data(), t.bytes.size());
        b.checked(name + "load_format_xyzw v[4:7], v1, s[8:11], " + zero + format + " offen");
        for (unsigned k = 0; k < 4; ++k)
          EXPECT_TRUE(same(k, b.vgpr(4 + k, 0))) << k << " " << std::hex << b.vgpr(4 + k, 0);
        // Back: the same bytes, except that snorm has two codes for -1.
        std::memset(b.host, 0xee, 32);
        b.checked(name + "store_format_xyzw v[4:7], v1, s[8:11], " + zero + format + " offen");
        std::vector<uint8_t> expected = t.bytes;
        if (t.number == 1) expected[2] = 0x81;
        EXPECT_EQ(std::vector<uint8_t>(b.host, b.host + t.bytes.size()), expected);
        EXPECT_EQ(b.host[t.bytes.size()], 0xee);
      }
      if (t.gfx9Data == 14) continue;
      // 16-bit results, two a register; the fourth of three stays.
      b.vgpr(5, 0) = 0xabcd0000;
      std::memcpy(b.host, t.bytes.data(), t.bytes.size());
      b.checked(std::string(gfx12 ? "buffer_load_d16_format_xyz" : "buffer_load_format_d16_xyz") +
                " v[4:5], v1, s[8:11], " + zero + " offen");
      EXPECT_EQ(b.vgpr(5, 0) >> 16, 0xabcdu);
      if (integer) EXPECT_EQ(b.vgpr(4, 0) & 0xffff, static_cast<uint32_t>(static_cast<int>(t.values[0])) & 0xffff);
    }
    b.resource(16, 0,
               gfx12 ? 4u | 1 << 3 | 0 << 6 | 5u << 9 | 46u << 12 | 3u << 28
                     : 4u | 1 << 3 | 5u << 9 | 4u << 12 | 10u << 15);
    std::memcpy(b.host, "\x0a\x0b\x0c\x0d", 4);
    b.checked(std::string("buffer_load_format_xyzw v[4:7], v1, s[8:11], ") + (gfx12 ? "null" : "0") + " offen");
    EXPECT_EQ(b.vgpr(4, 0), 10u);
    EXPECT_EQ(b.vgpr(5, 0), 1u) << "select 1";
    EXPECT_EQ(b.vgpr(6, 0), 0u) << "select 0";
    EXPECT_EQ(b.vgpr(7, 0), 11u) << "select Y";
    b.vgpr(1, 0) = 14; // the element straddles the end: nothing of it
    b.checked(std::string("buffer_load_format_x v4, v1, s[8:11], ") + (gfx12 ? "null" : "0") + " offen");
    EXPECT_EQ(b.vgpr(4, 0), 0u);
  }
}

TEST(ScalarMemory, StoresAndAtomics) {
  for (const char *arch : gfx9s) {
    Bench b(arch);
    b.setSgpr64(4, b.device);
    b.sgpr(20) = 0x1111, b.sgpr(21) = 0x2222;
    b.checked("s_store_dwordx2 s[20:21], s[4:5], 0x10");
    EXPECT_EQ(b.word(16), 0x1111u);
    EXPECT_EQ(b.word(20), 0x2222u);
    b.checked("s_atomic_add s20, s[4:5], 0x14 glc");
    EXPECT_EQ(b.sgpr(20), 0x2222u);
    EXPECT_EQ(b.word(20), 0x3333u);
    b.sgpr(20) = 77, b.sgpr(21) = 0x3333;
    b.checked("s_atomic_cmpswap s[20:21], s[4:5], 0x14 glc");
    EXPECT_EQ(b.word(20), 77u);
    b.resource(20);
    b.sgpr(20) = 5;
    b.checked("s_buffer_store_dword s20, s[8:11], 0x10");
    EXPECT_EQ(b.word(16), 5u);
    b.checked("s_buffer_store_dword s20, s[8:11], 0x14");
    EXPECT_EQ(b.word(20), 77u) << "beyond num_records";
    b.checked("s_buffer_load_dwordx2 s[20:21], s[8:11], 0x10");
    EXPECT_EQ(b.sgpr(20), 5u);
    EXPECT_EQ(b.sgpr(21), 0u);
  }
}

} // namespace
