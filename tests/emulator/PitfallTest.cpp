// Where other emulators of these machines went wrong, each with its test. Some are tested where the feature is:
//
//   Launch      work-item ids packed in v0; workgroup ids when only x is enabled        here
//   Modes       FLOAT_MODE of the descriptor; MODE; flushing transcendentals            here, ModeTest.cpp
//   Faults      what is not executed stops; LDS and registers end where they end        here, FaultTest.cpp
//   Counters    LDS permutes count; the split waits order each their own class          here
#include "compiler/isa/OpcodeList.h"
#include "tests/emulator/StepBench.h"
#include "tests/emulator/TestSupport.h"

#include <cmath>

using namespace fly;
using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

template <class F> void onEach(F body) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    Machine m("pitfalls", arch, "s");
    ASSERT_TRUE(m.module) << m.error;
    body(m);
  }
}

uint32_t bitsOf(float f) {
  uint32_t u;
  std::memcpy(&u, &f, 4);
  return u;
}
float floatOf(uint32_t u) {
  float f;
  std::memcpy(&f, &u, 4);
  return f;
}

//===--------------------------------------------------------------------------------------------------------===//
// Launch
//===--------------------------------------------------------------------------------------------------------===//

// All four architectures pack the ids in v0 (gfx90a and later, gfx11 and later); reading v0, v1, v2 instead is right
// for one dimension only.
TEST(Pitfall, WorkItemIdsArePackedInOneRegister) {
  onEach([](Machine &m) {
    LaunchConfig c;
    c.block = {5, 4, 3};
    uint64_t out = m.device.allocate(60 * 4, "out");
    LaunchResult r = m.device.launch(*m.module, "raw_item_id", c, arguments(out, 5u, 4u));
    ASSERT_TRUE(r.ok) << r.report;
    auto got = m.download<uint32_t>(out, 60);
    for (uint32_t k = 0; k < 60; ++k) ASSERT_EQ(got[k], k % 5 | k / 5 % 4 << 10 | k / 20 << 20) << k;
  });
}

TEST(Pitfall, AKernelWithOnlyTheXIdEnabledGetsXInATwoDimensionalGrid) {
  onEach([](Machine &m) {
    LaunchConfig c;
    c.grid = {3, 4, 2};
    c.block = {64, 1, 1};
    std::vector<uint32_t> zero(24);
    uint64_t out = m.upload(zero, "out");
    LaunchResult r = m.device.launch(*m.module, "count_by_x", c, arguments(out, uint64_t(0)));
    ASSERT_TRUE(r.ok) << r.report;
    auto got = m.download<uint32_t>(out, 24);
    for (uint32_t k = 0; k < 24; ++k) EXPECT_EQ(got[k], k < 3 ? 64u * 8 : 0u) << k;
  });
}

//===--------------------------------------------------------------------------------------------------------===//
// Modes
//===--------------------------------------------------------------------------------------------------------===//

TEST(Pitfall, TheDescriptorsFloatModeRoundsAndFlushes) {
  onEach([](Machine &m) {
    auto add = [&](const char *kernel, float a, float b) {
      uint64_t out = m.device.allocate(32 * 4, "out");
      LaunchResult r = m.device.launch(*m.module, kernel, shape(1, 32), arguments(out, a, b));
      EXPECT_TRUE(r.ok) << r.report;
      uint32_t value = m.download<uint32_t>(out, 32)[7];
      m.device.free(out);
      return value;
    };
    const float tiny = 0x1p-30f, denormal = 0x1p-130f, least = 0x1p-126f;
    EXPECT_EQ(add("add_nearest", 1, tiny), bitsOf(1));
    EXPECT_EQ(add("add_up", 1, tiny), bitsOf(std::nextafter(1.0f, 2.0f)));
    EXPECT_EQ(add("add_down", 1, -tiny), bitsOf(std::nextafter(1.0f, 0.0f)));
    EXPECT_EQ(add("add_down", -1, tiny), bitsOf(-1));
    EXPECT_EQ(add("add_down", -1, -tiny), bitsOf(-std::nextafter(1.0f, 2.0f)));
    EXPECT_EQ(add("add_to_zero", -1, tiny), bitsOf(-std::nextafter(1.0f, 0.0f)));
    // FP_DENORM: 0 flushes sources and result, 1 lets sources be (flushes the result), 2 the reverse, 3 keeps both.
    EXPECT_EQ(add("add_nearest", denormal, denormal), bitsOf(2 * denormal));
    EXPECT_EQ(add("add_flush", denormal, least), bitsOf(least));
    EXPECT_EQ(add("add_flush", -denormal, -denormal), bitsOf(-0.0f));
    EXPECT_EQ(add("add_flush_out", denormal, least), bitsOf(denormal + least));
    EXPECT_EQ(add("add_flush_out", denormal, denormal), bitsOf(0));
    EXPECT_EQ(add("add_flush_in", denormal, least), bitsOf(least));
    EXPECT_EQ(add("add_flush_in", -least, least + denormal), bitsOf(denormal));
  });
}

TEST(Pitfall, TranscendentalsFlushDenormalsEvenWhereTheModeKeepsThem) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    StepBench bench(arch);
    bench.setMode(0xf0); // nearest, all denormals kept
    bench.setExec(bench.laneMask());
    bench.splat(1, bitsOf(0x1p-130f));
    ASSERT_TRUE(bench.run("v_rcp_f32 v0, v1")) << bench.error();
    EXPECT_EQ(floatOf(bench.vgpr(0, 3)), INFINITY);
    ASSERT_TRUE(bench.run("v_log_f32 v0, v1")) << bench.error();
    EXPECT_EQ(floatOf(bench.vgpr(0, 3)), -INFINITY);
    ASSERT_TRUE(bench.run("v_rsq_f32 v0, v1")) << bench.error();
    EXPECT_EQ(floatOf(bench.vgpr(0, 3)), INFINITY);
    bench.splat(1, bitsOf(-130.0f));
    ASSERT_TRUE(bench.run("v_exp_f32 v0, v1")) << bench.error();
    EXPECT_EQ(bench.vgpr(0, 3), 0u);
    ASSERT_TRUE(bench.run("v_mul_f32 v0, 2.0, v1")) << bench.error();
  }
}

//===--------------------------------------------------------------------------------------------------------===//
// Faults
//===--------------------------------------------------------------------------------------------------------===//

TEST(Pitfall, WhatIsNotExecutedStopsTheWaveWithAFault) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    auto list = isa::listOpcodes(arch);
    ASSERT_TRUE(bool(list));
    unsigned tried = 0;
    for (const isa::OpcodeEntry &entry : list->entries) {
      if (findRow(entry.op) || entry.forms.count(isa::Form::VOPD)) continue;
      StepBench bench(arch, {.waveSize = entry.exampleWaveSize});
      int number = bench.add(llvm::ArrayRef(entry.example.bytes).take_front(entry.example.size));
      ASSERT_GE(number, 0) << bench.error();
      EXPECT_FALSE(bench.step(number)) << isa::name(entry.op);
      EXPECT_EQ(bench.wave().stop, Stop::Fault) << isa::name(entry.op);
      if (++tried == 60) break; // a bench costs milliseconds
    }
    EXPECT_GT(tried, 0u); // exports and interpolation are never executed
  }
}

TEST(Pitfall, RegistersBeyondTheDescriptorsDoNotExist) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    StepBench bench(arch, {.vgprs = 8});
    EXPECT_TRUE(bench.run("v_mov_b32 v7, 1")) << bench.error();
    EXPECT_FALSE(bench.run("v_mov_b32 v8, 1"));
    EXPECT_EQ(bench.wave().fault.kind, FaultKind::RegisterOutOfRange);
    EXPECT_FALSE(bench.run("v_add_f32 v0, v1, v9"));
    EXPECT_FALSE(bench.run("v_add_f64 v[0:1], v[2:3], v[8:9]"));
  }
}

TEST(Pitfall, LdsEndsWithTheWorkgroupsAllocation) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    StepBench bench(arch, {.ldsBytes = 256});
    bench.setExec(bench.laneMask());
    if (!bench.row.gfx12) bench.m0() = ~0u;
    bench.splat(1, 252);
    EXPECT_TRUE(bench.run("ds_read_b32 v0, v1")) << bench.error();
    EXPECT_FALSE(bench.run("ds_read_b32 v0, v1 offset:4"));
    EXPECT_EQ(bench.wave().fault.kind, FaultKind::LdsOutOfBounds);
    bench.splat(1, 248);
    EXPECT_TRUE(bench.run("ds_read_b64 v[2:3], v1")) << bench.error();
    EXPECT_FALSE(bench.run("ds_read_b128 v[2:5], v1"));
    EXPECT_FALSE(bench.run("ds_write2_b32 v1, v2, v3 offset1:2"));
  }
}

//===--------------------------------------------------------------------------------------------------------===//
// Counters
//===--------------------------------------------------------------------------------------------------------===//

TEST(Pitfall, LdsPermutesAreWaitedForLikeLdsAccesses) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    StepBench bench(arch);
    const bool gfx12 = bench.row.gfx12;
    for (const char *text : {"ds_bpermute_b32 v0, v1, v2", "ds_permute_b32 v0, v1, v2", "ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,1)"}) {
      int number = bench.add(text);
      ASSERT_GE(number, 0) << bench.error();
      EXPECT_EQ(bench.instruction(number).increments, maskOf(gfx12 ? isa::Counter::Ds : isa::Counter::Lgkm)) << text;
    }
  }
}

} // namespace
