// Launches over several host threads.
#include "tests/emulator/TestSupport.h"

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

constexpr uint32_t groups = 20000, block = 64, faulty = 15000;

/// out[i] = in[i + 1], where `in` ends within workgroup `faulty`.
LaunchResult runPastEnd(Machine &m, unsigned threads) {
  uint64_t in = m.device.allocate(uint64_t(faulty) * block * 4 + 4, "in"), out = m.device.allocate(uint64_t(groups) * block * 4, "out");
  LaunchConfig c = shape(groups, block);
  c.threads = threads;
  return m.device.launch(*m.module, "past_end", c, arguments(out, in, int32_t(groups * block)));
}

TEST(Scheduler, ReportsTheFaultOfTheLowestWorkgroupWhateverTheThreads) {
  Machine m("structure", "gfx1201", "O2");
  ASSERT_TRUE(m.module) << m.error;
  LaunchResult one = runPastEnd(m, 1);
  ASSERT_EQ(one.fault, FaultKind::OutOfBounds);
  EXPECT_NE(one.report.find("workgroup (" + std::to_string(faulty) + ", 0, 0)"), std::string::npos) << one.report;
  for (unsigned threads : {2u, 3u, 4u}) {
    LaunchResult many = runPastEnd(m, threads);
    EXPECT_EQ(many.fault, FaultKind::OutOfBounds);
    EXPECT_NE(many.report.find("workgroup (" + std::to_string(faulty) + ", 0, 0)"), std::string::npos) << many.report;
  }
}

/// Sums of 2^20 threes in blocks of 256; fails the test when a finished launch has them wrong.
LaunchResult sumThrees(Machine &m, unsigned threads, uint64_t limit) {
  const uint32_t n = 1 << 20;
  uint64_t in = m.upload(std::vector<int32_t>(n, 3), "in"), out = m.device.allocate(n / 256 * 4, "out");
  LaunchConfig c = shape(n / 256, 256);
  c.threads = threads;
  c.instructionLimit = limit;
  LaunchResult r = m.device.launch(*m.module, "block_sum", c, arguments(out, in, int32_t(n)));
  if (r.ok) EXPECT_EQ(m.download<int32_t>(out, n / 256), std::vector<int32_t>(n / 256, 3 * 256));
  return r;
}

TEST(Scheduler, CountsTheSameInstructionsOnOneThreadAndOnFour) {
  Machine m("structure", "gfx1250", "O2");
  ASSERT_TRUE(m.module) << m.error;
  LaunchResult one = sumThrees(m, 1, 0), four = sumThrees(m, 4, 0);
  ASSERT_TRUE(one.ok) << one.report;
  ASSERT_TRUE(four.ok) << four.report;
  EXPECT_EQ(one.waveInstructions, four.waveInstructions);
}

// No thread of four comes near the limit by itself.
TEST(Scheduler, ThreadsShareTheInstructionLimit) {
  Machine m("structure", "gfx1250", "O2");
  ASSERT_TRUE(m.module) << m.error;
  LaunchResult whole = sumThrees(m, 1, 0);
  ASSERT_TRUE(whole.ok) << whole.report;
  LaunchResult limited = sumThrees(m, 4, whole.waveInstructions * 9 / 10);
  EXPECT_EQ(limited.fault, FaultKind::Runaway) << limited.report;
}

} // namespace
