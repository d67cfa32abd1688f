// gfx1250's asynchronous transfers and the barriers in LDS.
#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/StepBench.h"
#include "tests/emulator/TestSupport.h"

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

struct Async : ::testing::Test {
  Machine m{"async", "gfx1250", "O2"};
  void SetUp() override { ASSERT_TRUE(m.module) << m.error; }
};

TEST_F(Async, BytesGoThroughLdsAndBackByEverySize) {
  std::vector<uint8_t> in(1024);
  std::mt19937 random(5);
  for (uint8_t &b : in) b = static_cast<uint8_t>(random());
  uint64_t a = m.upload(in, "in");
  for (unsigned bits : {8u, 32u, 64u, 128u}) {
    SCOPED_TRACE(bits);
    const unsigned n = bits / 8;
    uint64_t out = m.device.allocate(1024, "out");
    LaunchResult r = m.device.launch(*m.module, "round_trip_" + std::to_string(bits), shape(1, 32), arguments(a, out));
    ASSERT_TRUE(r.ok) << r.report.text();
    auto got = m.download<uint8_t>(out, 1024);
    for (unsigned t = 0; t < 32; ++t)
      for (unsigned k = 0; k < n; ++k) ASSERT_EQ(got[64 + (31 - t) * n + k], in[64 + t * n + k]) << t << " " << k;
    recordSource("gfx1250", "GLOBAL_LOAD_ASYNC_TO_LDS_B" + std::to_string(bits), "program");
    recordSource("gfx1250", "GLOBAL_STORE_ASYNC_FROM_LDS_B" + std::to_string(bits), "program");
  }
}

TEST_F(Async, LoadsArriveInOrderAndOnlyWhenWaitedFor) {
  std::vector<int32_t> in(64);
  for (int k = 0; k < 64; ++k) in[size_t(k)] = k * k;
  uint64_t a = m.upload(in, "in"), out = m.device.allocate(256, "out");
  LaunchResult r = m.device.launch(*m.module, "first_of_two", shape(1, 32), arguments(a, out));
  ASSERT_TRUE(r.ok) << r.report.text();
  auto got = m.download<int32_t>(out, 64);
  for (size_t k = 0; k < 64; ++k) EXPECT_EQ(got[k], k < 32 ? in[k] : -1) << k;
}

TEST_F(Async, ABarrierBehindTheLoadsAnnouncesThem) {
  const uint32_t n = 128, rounds = 5;
  std::vector<int32_t> in(n * rounds);
  for (size_t k = 0; k < in.size(); ++k) in[k] = static_cast<int32_t>(k * 2654435761u);
  uint64_t a = m.upload(in, "in"), out = m.device.allocate(n * 4, "out");
  LaunchResult r = m.device.launch(*m.module, "announced", shape(1, n), arguments(a, out, rounds));
  ASSERT_TRUE(r.ok) << r.report.text();
  auto got = m.download<uint32_t>(out, n);
  for (uint32_t t = 0; t < n; ++t) {
    uint32_t sum = 0;
    for (uint32_t k = 0; k < rounds; ++k) sum = sum * 5 + static_cast<uint32_t>(in[k * n + n - 1 - t]);
    EXPECT_EQ(got[t], sum) << t;
  }
  recordSource("gfx1250", "DS_ATOMIC_ASYNC_BARRIER_ARRIVE_B64", "program");
}

// Three arrivals a phase: the count runs 2 1 0, then starts again and the phase's parity turns.
TEST_F(Async, ArrivalsCountDownAndTurnThePhase) {
  uint64_t out = m.device.allocate(64, "out");
  LaunchResult r = m.device.launch(*m.module, "arrivals", shape(1, 1), arguments(out));
  ASSERT_TRUE(r.ok) << r.report.text();
  auto got = m.download<uint64_t>(out, 8);
  auto cell = [](uint64_t phase, uint64_t count) { return 2ull << 32 | phase << 29 | count; };
  EXPECT_EQ(got, (std::vector<uint64_t>{cell(0, 2), cell(0, 1), cell(0, 0), cell(7, 2), cell(7, 0), cell(6, 2),
                                        cell(6, 1), cell(6, 0)}));
  recordSource("gfx1250", "DS_ATOMIC_BARRIER_ARRIVE_RTN_B64", "document");
}

// CDNA5 ISA, 11.2.2: the update is taken from the pending count; if that was not enough, the phase goes down and the
// count starts from the initial count again. The emulator follows Triton's use. The manual has five widths of the
// count; 29 bits is one of them, and Triton's.
TEST(AsyncArrival, TakesUpdatesFromTheCountAndThePhase) {
  StepBench bench("gfx1250", {.ldsBytes = 256});
  std::mt19937_64 random(5);
  bench.setExec(1);
  unsigned completed = 0;
  for (unsigned round = 0; round < 400; ++round) {
    const uint64_t pending = random() % (round % 2 ? 4 : 1 << 20), phase = random() % 8, initial = random() % 0x10000;
    const uint64_t update = 1 + random() % (round % 2 ? 6 : 1 << 20);
    const uint64_t before = initial << 32 | phase << 29 | pending;
    const bool complete = update > pending;
    completed += complete;
    const uint64_t after = initial << 32 | ((phase + 8 - complete) % 8) << 29 | (complete ? initial : pending - update);
    std::memcpy(bench.lds.data() + 48, &before, 8);
    bench.vgpr(2, 0) = 32;
    bench.setVgpr64(4, 0, update);
    ASSERT_TRUE(bench.run("ds_atomic_barrier_arrive_rtn_b64 v[6:7], v2, v[4:5] offset:16")) << bench.error();
    uint64_t there;
    std::memcpy(&there, bench.lds.data() + 48, 8);
    EXPECT_EQ(bench.vgpr64(6, 0), before);
    EXPECT_EQ(there, after) << std::hex << before << " - " << update;
  }
  EXPECT_GT(completed, 100u);
  recordSource("gfx1250", "DS_ATOMIC_BARRIER_ARRIVE_RTN_B64", "manual");
}

TEST_F(Async, LdsBeyondTheAllocationIsAFault) {
  StepBench bench("gfx1250", {.ldsBytes = 256});
  uint64_t a = bench.allocate(1024);
  bench.setExec(1);
  bench.setVgpr64(0, 0, a);
  bench.vgpr(2, 0) = 248;
  EXPECT_TRUE(bench.run("global_load_async_to_lds_b64 v2, v[0:1], off")) << bench.error();
  EXPECT_FALSE(bench.run("global_load_async_to_lds_b64 v2, v[0:1], off offset:8"));
  EXPECT_EQ(bench.wave().fault.kind, FaultKind::LdsOutOfBounds);
  bench.setVgpr64(0, 0, a + 1020);
  EXPECT_FALSE(bench.run("global_store_async_from_lds_b64 v[0:1], v2, off"));
  EXPECT_EQ(bench.wave().fault.kind, FaultKind::OutOfBounds);
}

} // namespace
