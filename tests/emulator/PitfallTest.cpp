// Where other emulators of these machines went wrong, each with its test, here or where the feature is tested:
//
//   gfx950's transposing LDS reads work on groups of 16 lanes        MemoryFormsTest.cpp, TransposingReads
//   v_permlane16_swap swaps both pairs of rows                       Pitfall.LaneSwaps...
//   scaled MFMA: op_sel chooses the byte of each scale               MatrixScaledTest.cpp
//   the k order differs by element width                             MatrixScaledTest.cpp: pairs of formats
//   loads to LDS: zeros out of bounds, stride of 4, both offsets     MemoryFormsTest.cpp, LoadsToLds
//   work-item ids are packed in v0                                   Pitfall.WorkItemIds...
//   only the x of the workgroup's id enabled in a 2-D grid           Pitfall.AKernelWithOnlyTheXId...
//   FLOAT_MODE and MODE; transcendentals flush regardless            Pitfall.TheDescriptors..., ModeTest.cpp
//   what is not executed stops with an error                         Pitfall.WhatIsNotExecuted..., FaultTest.cpp
//   every byte of wide and paired accesses is seen                   Pitfall.EveryByte...
//   LDS permutes count; each split wait orders its own class         Pitfall.LdsPermutes..., PendingTest.cpp
//   LDS and registers end with the kernel's allocation               Pitfall.Registers..., Pitfall.Lds...
//   operations arrive as late as the waits allow                     PendingTest.cpp
#include "runtime/emulator/decode/Rows.h"
#include "compiler/isa/OpcodeList.h"
#include "tests/emulator/StepBench.h"
#include "tests/emulator/TestSupport.h"

#include <cmath>
#include <map>
#include <random>
#include <set>

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
    ASSERT_TRUE(r.ok) << r.report.text();
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
    ASSERT_TRUE(r.ok) << r.report.text();
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
      EXPECT_TRUE(r.ok) << r.report.text();
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

/// The instructions of an architecture, listed once, because that takes seconds.
const std::vector<isa::OpcodeEntry> &opcodesOf(const std::string &arch) {
  static std::map<std::string, std::vector<isa::OpcodeEntry>> known;
  auto [it, added] = known.try_emplace(arch);
  if (added) {
    auto list = isa::listOpcodes(arch);
    if (list) it->second = std::move(list->entries);
    else ADD_FAILURE() << llvm::toString(list.takeError());
  }
  return it->second;
}

TEST(Pitfall, WhatIsNotExecutedStopsTheWaveWithAFault) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    unsigned tried = 0;
    std::map<unsigned, StepBench> benches;
    for (const isa::OpcodeEntry &entry : opcodesOf(arch)) {
      if (findRow(entry.op) || entry.forms.count(isa::Form::VOPD)) continue;
      StepBench &bench =
          benches.try_emplace(entry.exampleWaveSize, arch, StepOptions{.waveSize = entry.exampleWaveSize})
              .first->second;
      int number = bench.add(llvm::ArrayRef(entry.example.bytes).take_front(entry.example.size));
      ASSERT_GE(number, 0) << bench.error();
      EXPECT_FALSE(bench.step(number)) << isa::name(entry.op);
      EXPECT_EQ(bench.wave().stop, Stop::Fault) << isa::name(entry.op);
      ++tried;
    }
    EXPECT_GT(tried, 0u); // exports and interpolation are never executed
  }
}

// What the coverage page lists as "without effect" leaves all that a wave can see alone.
TEST(Pitfall, HintsAndCacheControlsLeaveRegistersAndMemoryAlone) {
  for (const char *arch : architectures) {
    const Handler noResult[] = {findRow(isa::findOp("S_NOP"))->run, findRow(isa::findOp("S_SLEEP"))->run};
    unsigned tried = 0;
    for (const isa::OpcodeEntry &entry : opcodesOf(arch)) {
      const Row *row = findRow(entry.op);
      if (!row || !llvm::is_contained(noResult, row->run)) continue;
      SCOPED_TRACE(std::string(arch) + " " + std::string(isa::name(entry.op)));
      StepBench b(arch, {.waveSize = entry.exampleWaveSize, .vgprs = 64});
      uint8_t *memory;
      b.setSgpr64(0, b.allocate(1024, &memory));
      std::mt19937 random(4);
      for (unsigned r = 0; r < 64; ++r)
        for (unsigned l = 0; l < b.lanes(); ++l) b.vgpr(r, l) = random(); // addresses, too: a prefetch need not succeed
      for (uint8_t &byte : b.lds) byte = static_cast<uint8_t>(random());
      for (unsigned k = 0; k < 1024; ++k) memory[k] = static_cast<uint8_t>(random());
      b.setScc(true);
      auto all = [&] {
        std::vector<uint64_t> state = {b.vcc(), b.exec(), b.scc(), b.m0(), b.mode()};
        for (unsigned r = 0; r < 64; ++r)
          for (unsigned l = 0; l < b.lanes(); ++l) state.push_back(b.vgpr(r, l));
        for (unsigned r = 0; r < 100; ++r) state.push_back(b.sgpr(r));
        state.insert(state.end(), b.lds.begin(), b.lds.end());
        state.insert(state.end(), memory, memory + 1024);
        return state;
      };
      const int number = b.add(llvm::ArrayRef(entry.example.bytes).take_front(entry.example.size));
      const std::vector<uint64_t> before = all();
      ASSERT_TRUE(b.step(number)) << b.error();
      EXPECT_TRUE(all() == before);
      EXPECT_EQ(b.wave().pc, static_cast<uint32_t>(number) + 1);
      ++tried;
    }
    EXPECT_GT(tried, 12u) << arch;
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
    if (!isGfx12(bench.row)) bench.m0() = ~0u;
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
// Lanes and memory
//===--------------------------------------------------------------------------------------------------------===//

// In a wave of 64 lanes v_permlane16_swap swaps row 1 of one register with row 0 of the other, and row 3 with row 2.
TEST(Pitfall, LaneSwapsExchangeEveryPairOfRowsAndTheHalves) {
  StepBench bench("gfx950");
  bench.setExec(~0ull);
  for (unsigned rows : {1u, 2u}) {
    for (unsigned l = 0; l < 64; ++l) {
      bench.vgpr(0, l) = l;
      bench.vgpr(1, l) = 100 + l;
    }
    ASSERT_TRUE(bench.run(rows == 1 ? "v_permlane16_swap_b32 v0, v1" : "v_permlane32_swap_b32 v0, v1"))
        << bench.error();
    for (unsigned l = 0; l < 64; ++l) {
      const bool odd = l / 16 & rows;
      EXPECT_EQ(bench.vgpr(0, l), odd ? 100 + l - 16 * rows : l) << l;
      EXPECT_EQ(bench.vgpr(1, l), odd ? 100 + l : l + 16 * rows) << l;
    }
  }
}

/// Bytes that lane 1 accesses, as an observer hears of them.
struct LaneOne : WaveObserver {
  std::multiset<uint64_t> bytes;
  void access(Wave &, const Inst &, const MemoryEvent &event) override {
    if (event.active & 2)
      for (unsigned k = 0; k < event.bytes; ++k) bytes.insert(event.addresses[1] + k);
  }
};

TEST(Pitfall, EveryByteOfWideAndPairedAccessesIsSeen) {
  struct Case {
    const char *text;
    std::vector<std::pair<unsigned, unsigned>> ranges; // address, bytes
  };
  const Case cases[] = {{"ds_read_b128 v[4:7], v1 offset:32", {{48, 16}}},
                        {"ds_write_b96 v1, v[4:6]", {{16, 12}}},
                        {"ds_read2_b32 v[4:5], v1 offset0:1 offset1:9", {{20, 4}, {52, 4}}},
                        {"ds_write2_b64 v1, v[4:5], v[6:7] offset1:3", {{16, 8}, {40, 8}}},
                        {"ds_read2st64_b32 v[4:5], v1 offset1:1", {{16, 4}, {272, 4}}},
                        {"ds_add_u64 v1, v[4:5]", {{16, 8}}},
                        {"ds_write_b8 v1, v4", {{16, 1}}}};
  for (const char *arch : architectures)
    for (const Case &c : cases) {
      SCOPED_TRACE(std::string(arch) + " " + c.text);
      StepBench bench(arch);
      if (!isGfx12(bench.row)) bench.m0() = ~0u;
      bench.setExec(bench.laneMask());
      for (unsigned l = 0; l < bench.lanes(); ++l) bench.vgpr(1, l) = 16 * l;
      LaneOne observer;
      bench.wave().observers.add(observer, {Hook::Access});
      ASSERT_TRUE(bench.run(c.text)) << bench.error();
      std::multiset<uint64_t> want;
      for (auto [address, count] : c.ranges)
        for (unsigned k = 0; k < count; ++k) want.insert(address + k);
      EXPECT_EQ(observer.bytes, want);
    }
}

//===--------------------------------------------------------------------------------------------------------===//
// Counters
//===--------------------------------------------------------------------------------------------------------===//

TEST(Pitfall, LdsPermutesAreWaitedForLikeLdsAccesses) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    StepBench bench(arch);
    const bool gfx12 = isGfx12(bench.row);
    for (const char *text :
         {"ds_bpermute_b32 v0, v1, v2", "ds_permute_b32 v0, v1, v2", "ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,1)"}) {
      int number = bench.add(text);
      ASSERT_GE(number, 0) << bench.error();
      EXPECT_EQ(bench.instruction(number).increments, isa::maskOf(gfx12 ? isa::Counter::Ds : isa::Counter::Lgkm))
          << text;
    }
  }
}

} // namespace
