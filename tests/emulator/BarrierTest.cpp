// Named barriers and the split workgroup barrier's details.
#include "tests/emulator/CoverageRecord.h"
#include "tests/emulator/TestSupport.h"

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

struct Barriers : ::testing::Test {
  Machine m{"barriers", "gfx1250", "O2"};
  void SetUp() override { ASSERT_TRUE(m.module) << m.error; }
  LaunchResult run(const char *kernel, uint32_t threads, const std::string &bytes,
                   WaveOrder order = WaveOrder::Ascending) {
    LaunchConfig c = shape(1, threads);
    c.order = order;
    c.seed = 7;
    return m.device.launch(*m.module, kernel, c, bytes);
  }
};

TEST_F(Barriers, NamedOnesHandASlotToAndFro) {
  const int rounds = 20;
  for (WaveOrder order : {WaveOrder::Ascending, WaveOrder::Descending, WaveOrder::Seeded}) {
    uint64_t out = m.device.allocate(256, "out");
    LaunchResult r = run("producer_consumers", 128, arguments(out, int32_t(rounds)), order);
    ASSERT_TRUE(r.ok) << r.report.text();
    auto got = m.download<uint32_t>(out, 64);
    for (uint32_t consumer = 0; consumer < 2; ++consumer)
      for (uint32_t lane = 0; lane < 32; ++lane) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < uint32_t(rounds); ++k) sum += (k * 100 + lane) * (consumer + 1);
        EXPECT_EQ(got[32 * consumer + lane], sum) << consumer << " " << lane;
      }
  }
  for (const char *op : {"S_BARRIER_INIT", "S_BARRIER_JOIN", "S_BARRIER_SIGNAL", "S_BARRIER_WAIT"})
    recordSource("gfx1250", op, "program");
}

TEST_F(Barriers, StateCountsSignalsAndMembers) {
  uint64_t out = m.device.allocate(32, "out");
  LaunchResult r = run("barrier_states", 64, arguments(out));
  ASSERT_TRUE(r.ok) << r.report.text();
  // CDNA5 ISA, 5.6: the named barriers that are allocated, in fours, from bit 24.
  auto state = [](uint32_t signals, uint32_t members) { return 1u << 24 | signals << 16 | members << 4 | 1; };
  auto got = m.download<uint32_t>(out, 6);
  EXPECT_EQ(got[0], state(0, 3));
  EXPECT_EQ(got[1], state(2, 3));
  EXPECT_EQ(got[2], state(0, 3)); // complete: counts anew
  EXPECT_EQ(got[3], state(1, 5)); // a signal may change the count
  EXPECT_EQ(got[4], state(1, 4)); // who leaves is a member no more
  EXPECT_EQ(got[5], state(0, 2)); // the workgroup's
  // CDNA5 ISA, 15.3 and 15.5; the emulator had both from RDNA4's documents before.
  for (const char *op : {"S_GET_BARRIER_STATE", "S_BARRIER_LEAVE"}) recordSource("gfx1250", op, "manual");
}

// CDNA5 ISA, 5.6.
TEST_F(Barriers, DoNothingForASingleWave) {
  uint64_t out = m.device.allocate(16, "out");
  LaunchResult r = run("alone", 32, arguments(out));
  ASSERT_TRUE(r.ok) << r.report.text();
  EXPECT_EQ(m.download<uint32_t>(out, 2), (std::vector<uint32_t>{0, 1})) << "SCC is left";
}

TEST_F(Barriers, TheNullBarrierLeavesSccAndAConstantTheMembers) {
  uint64_t out = m.device.allocate(16, "out");
  LaunchResult r = run("null_barrier", 64, arguments(out));
  ASSERT_TRUE(r.ok) << r.report.text();
  EXPECT_EQ(m.download<uint32_t>(out, 4), (std::vector<uint32_t>{1, 0, 1, 1u << 24 | 3 << 4 | 1}));
}

TEST_F(Barriers, ExactlyOneWaveIsFirst) {
  uint64_t out = m.device.allocate(16, "out");
  LaunchResult r = run("first_signal", 128, arguments(out), WaveOrder::Descending);
  ASSERT_TRUE(r.ok) << r.report.text();
  EXPECT_EQ(m.download<uint32_t>(out, 4), (std::vector<uint32_t>{0, 0, 0, 1}));
  recordSource("gfx1250", "S_BARRIER_SIGNAL_ISFIRST", "pseudocode");
}

TEST_F(Barriers, DeadlockNamesTheBarrierAndTheWaves) {
  LaunchResult r = run("named_stuck", 128, "");
  EXPECT_EQ(r.report.kind, FaultKind::Deadlock);
  for (const char *part :
       {"wave 0: waits at s_barrier_wait 1", "named barrier 1: 2 of 3 members have signalled", "wave 3: ended"})
    EXPECT_NE(r.report.text().find(part), std::string::npos) << part << "\n" << r.report.text();
  size_t at = r.report.text().find("wave 1: ");
  ASSERT_NE(at, std::string::npos);
  EXPECT_NE(r.report.text().substr(at, r.report.text().find('\n', at) - at).find("without having signalled"),
            std::string::npos)
      << r.report.text();
}

TEST_F(Barriers, MisuseIsReported) {
  LaunchResult r = run("named_without_init", 64, "");
  EXPECT_FALSE(r.ok);
  EXPECT_NE(r.report.text().find("named barrier 1, which was not initialised"), std::string::npos) << r.report.text();
  r = run("named_beyond_allocation", 64, "");
  EXPECT_FALSE(r.ok);
  EXPECT_NE(r.report.text().find("named barrier 3 is beyond the 0"), std::string::npos) << r.report.text();
}

} // namespace
