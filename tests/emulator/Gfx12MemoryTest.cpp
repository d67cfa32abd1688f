// gfx12's own memory instructions: transposing loads, blocks of registers, the ordered add, monitored loads.
#include "runtime/emulator/formats/SmallFloat.h"
#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/StepBench.h"
#include "tests/emulator/TestSupport.h"

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

uint32_t bitsAt(const std::vector<uint8_t> &bytes, size_t bit, unsigned count) {
  uint32_t v = 0;
  for (unsigned b = 0; b < count; ++b) v |= uint32_t(bytes[(bit + b) / 8] >> (bit + b) % 8 & 1) << b;
  return v;
}

/// Loads a 16 x columns matrix column by column and expects each lane to hold a piece of row m = lane % 16: `kOf(lane,
/// e)` says which k element e is.
template <class F>
void expectRows(const char *arch, const char *level, const char *kernel, unsigned bits, unsigned columns,
                unsigned lanes, F kOf) {
  SCOPED_TRACE(std::string(arch) + " " + level + " " + kernel);
  Machine m("transposes", arch, level);
  ASSERT_TRUE(m.module) << m.error;
  std::mt19937 random(3);
  std::vector<uint8_t> in(16 * columns * bits / 8);
  for (uint8_t &b : in) b = static_cast<uint8_t>(random());
  uint64_t a = m.upload(in, "in"), out = m.device.allocate(in.size(), "out");
  LaunchResult r = m.device.launch(*m.module, kernel, shape(1, lanes), arguments(a, out));
  ASSERT_TRUE(r.ok) << r.report.text();
  auto got = m.download<uint8_t>(out, in.size());
  const unsigned perLane = 16 * columns / lanes;
  for (unsigned l = 0; l < lanes; ++l)
    for (unsigned e = 0; e < perLane; ++e)
      EXPECT_EQ(bitsAt(got, size_t(l * perLane + e) * bits, bits),
                bitsAt(in, size_t(kOf(l, e) * 16 + l % 16) * bits, bits))
          << "lane " << l << " element " << e;
}

// Published results: lane L of 32 gets row L % 16 and the k of its half of the operand, in order.
TEST(Gfx12Transpose, GlobalLoadsGiveRowsOfAWmmaOperand) {
  auto eight = [](unsigned l, unsigned e) { return l / 16 * 8 + e; };
  auto sixteen = [](unsigned l, unsigned e) { return l / 16 * 16 + e; };
  auto four = [](unsigned l, unsigned e) { return e % 8 + l / 16 * 8 + e / 8 * 16; };
  for (const char *arch : {"gfx1201", "gfx1250"}) {
    expectRows(arch, "O2", "global16", 16, 16, 32, eight);
    expectRows(arch, "O2", "global8", 8, 16, 32, eight);
    recordSource(arch, "GLOBAL_LOAD_TR_B128", "document");
    recordSource(arch, "GLOBAL_LOAD_TR_B64", "document");
  }
  expectRows("gfx1250", "O2", "global6", 6, 32, 32, sixteen);
  expectRows("gfx1250", "O2", "global4", 4, 32, 32, four);
  expectRows("gfx1250", "O2", "lds16", 16, 16, 32, eight);
  expectRows("gfx1250", "O2", "lds8", 8, 16, 32, eight);
  // CDNA5 ISA, 10.9.2 with 7.12.2: the tile in the layout of an 8-bit operand, eight k in turn for the two halves of
  // the wave.
  for (const char *op : {"GLOBAL_LOAD_TR_B64", "DS_LOAD_TR8_B64"}) recordSource("gfx1250", op, "manual");
  expectRows("gfx1250", "O2", "lds6", 6, 32, 32, sixteen);
  expectRows("gfx1250", "O2", "lds4", 4, 32, 32, four);
  for (const char *op : {"GLOBAL_LOAD_TR6_B96", "GLOBAL_LOAD_TR4_B64", "DS_LOAD_TR16_B128", "DS_LOAD_TR8_B64",
                         "DS_LOAD_TR6_B96", "DS_LOAD_TR4_B64"})
    recordSource("gfx1250", op, "document");
}

TEST(Gfx12Transpose, InWave64TheUpperLanesGetTheSecondHalf) {
  auto k = [](unsigned l, unsigned e) { return l % 32 / 16 * 8 + l / 32 * 4 + e; };
  expectRows("gfx1201", "wave64", "global16", 16, 16, 64, k);
  expectRows("gfx1201", "wave64", "global8", 8, 16, 64, k);
}

/// A: element (m, k) at 16 * k + m; rows: (k, n) at 16 * k + n; columns: (k, n) at size * n + k.
template <class T, class Encode>
void expectProducts(const char *arch, const char *kernel, const char *op, const char *matrixOp, Encode encode) {
  SCOPED_TRACE(std::string(arch) + " " + kernel);
  Machine m("transposes", arch, "O2");
  ASSERT_TRUE(m.module) << m.error;
  const unsigned size = 64;
  std::mt19937 random(9);
  std::vector<T> a(16 * size), rows(16 * size), columns(16 * size);
  std::vector<double> va(16 * size), vb(16 * size);
  for (size_t k = 0; k < a.size(); ++k) {
    va[k] = int(random() % 9) - 4;
    vb[k] = int(random() % 9) - 4;
    a[k] = encode(va[k]);
    rows[k] = encode(vb[k]);
    columns[k % 16 * size + k / 16] = rows[k];
  }
  uint64_t da = m.upload(a, "a"), dr = m.upload(rows, "rows"), dc = m.upload(columns, "columns"),
           out = m.device.allocate(2048, "c");
  LaunchResult r = m.device.launch(*m.module, kernel, shape(1, 32), arguments(da, dr, dc, out, uint32_t(size)));
  ASSERT_TRUE(r.ok) << r.report.text();
  auto got = m.download<float>(out, 512);
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned j = 0; j < 16; ++j) {
      double sum = 0;
      for (unsigned k = 0; k < size; ++k) sum += va[16 * k + i] * vb[16 * k + j];
      EXPECT_EQ(got[16 * i + j], sum) << i << " " << j;
      EXPECT_EQ(got[256 + 16 * i + j], sum) << i << " " << j << " from columns";
    }
  recordSource(arch, op, "program");
  recordSource(arch, matrixOp, "program");
}

TEST(Gfx12Transpose, FeedsMatrixProducts) {
  auto half = [](double v) { return static_cast<uint16_t>(floatToHalf(static_cast<float>(v))); };
  auto fp8 = [](double v) { // E4M3 of a small integer
    static constexpr uint8_t magnitude[] = {0, 0x38, 0x40, 0x44, 0x48};
    return static_cast<uint8_t>(magnitude[v < 0 ? int(-v) : int(v)] | (v < 0 ? 0x80 : 0));
  };
  expectProducts<uint16_t>("gfx1201", "multiply16", "GLOBAL_LOAD_TR_B128", "V_WMMA_F32_16X16X16_F16", half);
  expectProducts<uint16_t>("gfx1250", "multiply16", "GLOBAL_LOAD_TR_B128", "V_WMMA_F32_16X16X32_F16", half);
  expectProducts<uint8_t>("gfx1201", "multiply8", "GLOBAL_LOAD_TR_B64", "V_WMMA_F32_16X16X16_FP8_FP8", fp8);
}

TEST(Gfx12Transpose, DisabledLanesAreAFaultAllDisabledNothing) {
  StepBench bench("gfx1250");
  uint64_t a = bench.allocate(1024);
  for (unsigned l = 0; l < 32; ++l) bench.setVgpr64(0, l, a + 16 * l);
  bench.setExec(0x7fffffff);
  EXPECT_FALSE(bench.run("global_load_tr16_b128 v[4:7], v[0:1], off"));
  EXPECT_NE(bench.error().find("undefined"), std::string::npos);
  bench.setExec(0);
  bench.vgpr(4, 0) = 5;
  EXPECT_TRUE(bench.run("global_load_tr16_b128 v[4:7], v[0:1], off")) << bench.error();
  EXPECT_EQ(bench.vgpr(4, 0), 5u);
}

TEST(Gfx12Block, MovesTheRegistersOfM0) {
  for (const char *arch : {"gfx1201", "gfx1250"}) {
    StepBench bench(arch);
    uint8_t *host;
    uint64_t a = bench.allocate(32 * 200, &host);
    for (uint32_t k = 0; k < 32 * 50; ++k) std::memcpy(host + 4 * k, &k, 4);
    for (unsigned l = 0; l < 32; ++l) bench.setVgpr64(0, l, a + 200 * l);
    for (unsigned r = 4; r < 36; ++r) bench.splat(r, 9999);
    bench.m0() = 0x80000105;
    bench.setExec(0xfffffffe);
    ASSERT_TRUE(bench.run("global_load_block v[4:35], v[0:1], off offset:8")) << bench.error();
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned n = 0; n < 32; ++n)
        EXPECT_EQ(bench.vgpr(4 + n, l), (0x80000105u >> n & 1) && l ? 50 * l + 2 + n : 9999u) << l << " " << n;
    for (unsigned r = 4; r < 36; ++r) bench.splat(r, 7000 + r);
    ASSERT_TRUE(bench.run("global_store_block v[0:1], v[4:35], off")) << bench.error();
    uint32_t v;
    std::memcpy(&v, host + 200 + 8, 4);
    EXPECT_EQ(v, 7006u);
    std::memcpy(&v, host + 200 + 4, 4);
    EXPECT_EQ(v, 51u);
    // The bytes of clear bits may lie outside: bit 31 would end beyond the allocation
    bench.setVgpr64(0, 31, a + 32 * 200 - 12);
    bench.m0() = 7;
    EXPECT_TRUE(bench.run("global_load_block v[4:35], v[0:1], off")) << bench.error();
    bench.m0() = 15;
    EXPECT_FALSE(bench.run("global_load_block v[4:35], v[0:1], off"));
    // scratch
    for (unsigned l = 0; l < 32; ++l) bench.vgpr(0, l) = 16;
    for (unsigned r = 4; r < 36; ++r)
      for (unsigned l = 0; l < 32; ++l) bench.vgpr(r, l) = 100 * r + l;
    bench.m0() = 0xc;
    bench.setExec(~0u);
    ASSERT_TRUE(bench.run("scratch_store_block v0, v[4:35], off")) << bench.error();
    ASSERT_TRUE(bench.run("scratch_load_block v[40:71], v0, off offset:0")) << bench.error();
    EXPECT_EQ(bench.vgpr(42, 9), 609u);
    EXPECT_EQ(bench.vgpr(43, 31), 731u);
    for (const char *op : {"GLOBAL_LOAD_BLOCK", "GLOBAL_STORE_BLOCK", "SCRATCH_LOAD_BLOCK", "SCRATCH_STORE_BLOCK"})
      recordSource(arch, op, "pseudocode");
  }
}

TEST(Gfx12OrderedAdd, OnlyWhoIsDueAdds) {
  StepBench bench("gfx1201");
  uint8_t *host;
  uint64_t a = bench.allocate(8, &host);
  uint32_t start[2] = {5, 1000}, end[2];
  std::memcpy(host, start, 8);
  for (unsigned l = 0; l < 32; ++l) {
    bench.setVgpr64(0, l, a);
    bench.setVgpr64(2, l, (l == 3 ? 5 : l == 4 ? 6 : 99) | uint64_t(10 * l) << 32);
  }
  ASSERT_TRUE(bench.run("global_atomic_ordered_add_b64 v[4:5], v[0:1], v[2:3], off th:TH_ATOMIC_RETURN"))
      << bench.error();
  std::memcpy(end, host, 8);
  EXPECT_EQ(end[0], 7u);
  EXPECT_EQ(end[1], 1070u);
  EXPECT_EQ(bench.vgpr64(4, 4), 6 | 1030ull << 32);
  recordSource("gfx1201", "GLOBAL_ATOMIC_ORDERED_ADD_B64", "pseudocode");
}

TEST(Gfx1250Monitor, LoadsAreLoads) {
  StepBench bench("gfx1250");
  uint8_t *host;
  uint64_t a = bench.allocate(512, &host);
  for (uint32_t k = 0; k < 128; ++k) std::memcpy(host + 4 * k, &k, 4);
  for (unsigned l = 0; l < 32; ++l) bench.setVgpr64(0, l, a + 16 * l);
  ASSERT_TRUE(bench.run("global_load_monitor_b128 v[4:7], v[0:1], off")) << bench.error();
  ASSERT_TRUE(bench.run("flat_load_monitor_b64 v[8:9], v[0:1]")) << bench.error();
  EXPECT_EQ(bench.vgpr(7, 3), 15u);
  EXPECT_EQ(bench.vgpr(9, 3), 13u);
}

// CDNA5's manual, 10.1.2 and table 60: scalar base, offset and four bytes a lane.
TEST(Gfx12AddTid, LanesAreFourBytesApart) {
  for (const char *arch : {"gfx1201", "gfx1250"}) {
    StepBench bench(arch);
    uint8_t *host;
    uint64_t a = bench.allocate(1024, &host);
    for (uint32_t k = 0; k < 256; ++k) {
      uint32_t v = 7000 + k;
      std::memcpy(host + 4 * k, &v, 4);
    }
    bench.setSgpr64(4, a + 64);
    const uint32_t exec = 0x5aa5ff0f;
    bench.setExec(exec);
    bench.splat(1, 5);
    ASSERT_TRUE(bench.run("global_load_addtid_b32 v1, s[4:5] offset:32")) << bench.error();
    for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(bench.vgpr(1, l), exec >> l & 1 ? 7000 + 24 + l : 5u) << l;
    for (unsigned l = 0; l < 32; ++l) bench.vgpr(2, l) = 100 + l;
    ASSERT_TRUE(bench.run("global_store_addtid_b32 v2, s[4:5] offset:-16")) << bench.error();
    for (uint32_t k = 0; k < 256; ++k) {
      uint32_t v, lane = k - 12;
      std::memcpy(&v, host + 4 * k, 4);
      EXPECT_EQ(v, k >= 12 && lane < 32 && exec >> lane & 1 ? 100 + lane : 7000 + k) << k;
    }
    if (bench.arch == "gfx1250")
      for (const char *op : {"GLOBAL_LOAD_DWORD_ADDTID", "GLOBAL_STORE_DWORD_ADDTID"}) recordSource(arch, op, "manual");
  }
}

// CDNA5's manual, 10.7 and 10.8: both addresses get the offset; with an empty mask it is an ordinary load to LDS.
TEST(Gfx1250Cluster, AsyncLoadsWithoutAMaskLoadForTheirOwnWorkgroup) {
  for (unsigned bytes : {1u, 4u, 8u, 16u}) {
    StepBench bench("gfx1250");
    uint8_t *host;
    uint64_t a = bench.allocate(1024, &host);
    for (unsigned k = 0; k < 1024; ++k) host[k] = static_cast<uint8_t>(k * 7 + k / 256);
    std::fill(bench.lds.begin(), bench.lds.end(), 0xee);
    bench.m0() = 0;
    const uint32_t exec = 0x0ff0f00f;
    bench.setExec(exec);
    for (unsigned l = 0; l < 32; ++l) bench.vgpr(2, l) = 1024 + 32 * (31 - l), bench.setVgpr64(4, l, a + 16 * l);
    const std::string op = "cluster_load_async_to_lds_b" + std::to_string(8 * bytes);
    ASSERT_TRUE(bench.run(op + " v2, v[4:5], off offset:32")) << bench.error();
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned k = 0; k < 16; ++k) {
        if (bytes == 1 && k > 0 && k < 4) continue; // 13.1.4 says that a whole dword is written, 10.8.1 one byte
        EXPECT_EQ(bench.lds[1024 + 32 * (31 - l) + 32 + k], exec >> l & 1 && k < bytes ? host[16 * l + 32 + k] : 0xee)
            << op << " lane " << l << " byte " << k;
      }
    std::string name;
    for (char c : op) name += static_cast<char>(std::toupper(c));
    recordSource("gfx1250", name, "manual");
  }
}

} // namespace
