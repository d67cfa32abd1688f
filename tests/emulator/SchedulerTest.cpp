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

TEST(Scheduler, ThreadsShareTheInstructionLimit) {
  Machine m("structure", "gfx942", "O2");
  ASSERT_TRUE(m.module) << m.error;
  LaunchConfig c = shape(64, 64);
  c.threads = 3;
  c.instructionLimit = 3000000;
  LaunchResult r = m.device.launch(*m.module, "endless", c, arguments(m.upload(std::vector<int32_t>(1), "flag")));
  EXPECT_EQ(r.fault, FaultKind::Runaway);
  EXPECT_LT(r.waveInstructions, 4 * c.instructionLimit);
}

TEST(Scheduler, CountsTheSameInstructionsOnOneThreadAndOnFour) {
  Machine m("structure", "gfx1250", "O2");
  ASSERT_TRUE(m.module) << m.error;
  const uint32_t n = 1 << 20;
  uint64_t in = m.upload(std::vector<int32_t>(n, 3), "in"), out = m.device.allocate(n / 256 * 4, "out");
  uint64_t counts[2];
  for (unsigned k : {0u, 1u}) {
    LaunchConfig c = shape(n / 256, 256);
    c.threads = k ? 4 : 1;
    LaunchResult r = m.device.launch(*m.module, "block_sum", c, arguments(out, in, int32_t(n)));
    ASSERT_TRUE(r.ok) << r.report;
    counts[k] = r.waveInstructions;
    EXPECT_EQ(m.download<int32_t>(out, n / 256), std::vector<int32_t>(n / 256, 3 * 256));
  }
  EXPECT_EQ(counts[0], counts[1]);
}

} // namespace
