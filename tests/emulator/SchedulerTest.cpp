// Launches over several host threads.
#include "tests/emulator/TestSupport.h"

#include <atomic>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

constexpr uint32_t groups = 20000, block = 64, faulty = 15000;

/// out[i] = in[i + 1], where `in` ends within workgroup `faulty`.
LaunchResult runPastEnd(Machine &m, unsigned threads) {
  uint64_t in = m.device.allocate(uint64_t(faulty) * block * 4 + 4, "in"),
           out = m.device.allocate(uint64_t(groups) * block * 4, "out");
  LaunchConfig c = shape(groups, block);
  c.threads = threads;
  return m.device.launch(*m.module, "past_end", c, arguments(out, in, int32_t(groups * block)));
}

TEST(Scheduler, ReportsTheFaultOfTheLowestWorkgroupWhateverTheThreads) {
  Machine m("structure", "gfx1201", "O2");
  ASSERT_TRUE(m.module) << m.error;
  LaunchResult one = runPastEnd(m, 1);
  ASSERT_EQ(one.report.kind, FaultKind::OutOfBounds);
  EXPECT_NE(one.report.text().find("workgroup (" + std::to_string(faulty) + ", 0, 0)"), std::string::npos)
      << one.report.text();
  for (unsigned threads : {2u, 3u, 4u}) {
    LaunchResult many = runPastEnd(m, threads);
    EXPECT_EQ(many.report.kind, FaultKind::OutOfBounds);
    EXPECT_NE(many.report.text().find("workgroup (" + std::to_string(faulty) + ", 0, 0)"), std::string::npos)
        << many.report.text();
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

TEST(Scheduler, InterleavesWavesByTheSeed) {
  Machine m("structure", "gfx942", "O2");
  ASSERT_TRUE(m.module) << m.error;
  const uint32_t n = 1 << 12;
  uint64_t in = m.upload(std::vector<int32_t>(n, 3), "in"), out = m.device.allocate(n / 256 * 4, "out");
  uint64_t ascending = 0;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    LaunchConfig c = shape(n / 256, 256);
    c.order = seed ? WaveOrder::Interleaved : WaveOrder::Ascending;
    c.seed = seed;
    LaunchResult r = m.device.launch(*m.module, "block_sum", c, arguments(out, in, int32_t(n)));
    ASSERT_TRUE(r.ok) << r.report.text();
    EXPECT_EQ(m.download<int32_t>(out, n / 256), std::vector<int32_t>(n / 256, 3 * 256));
    if (!seed) ascending = r.waveInstructions;
    EXPECT_EQ(r.waveInstructions, ascending); // barriers are waited for without executing anything
  }
}

TEST(Scheduler, CountsTheSameInstructionsOnOneThreadAndOnFour) {
  Machine m("structure", "gfx1250", "O2");
  ASSERT_TRUE(m.module) << m.error;
  LaunchResult one = sumThrees(m, 1, 0), four = sumThrees(m, 4, 0);
  ASSERT_TRUE(one.ok) << one.report.text();
  ASSERT_TRUE(four.ok) << four.report.text();
  EXPECT_EQ(one.waveInstructions, four.waveInstructions);
}

// No thread of four comes near the limit by itself.
TEST(Scheduler, ThreadsShareTheInstructionLimit) {
  Machine m("structure", "gfx1250", "O2");
  ASSERT_TRUE(m.module) << m.error;
  LaunchResult whole = sumThrees(m, 1, 0);
  ASSERT_TRUE(whole.ok) << whole.report.text();
  LaunchResult limited = sumThrees(m, 4, whole.waveInstructions * 9 / 10);
  EXPECT_EQ(limited.report.kind, FaultKind::Runaway) << limited.report.text();
}

/// The threads of this process (Linux).
std::set<std::string> threadIds() {
  std::set<std::string> ids;
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/task")) ids.insert(entry.path().filename());
  return ids;
}

// All workgroups wait for a word that the host sets as soon as it has seen the launch's second thread. The first thread
// has nothing but workgroups that wait, and must let others join all the same. A host that is busy may look too late, after
// the launch has been given up as a deadlock: then once more.
TEST(Scheduler, WorkgroupsThatOnlyWaitDoNotKeepTheLaunchOnOneThread) {
  Machine m("structure", "gfx942", "O2");
  ASSERT_TRUE(m.module) << m.error;
  uint64_t out = m.upload(std::vector<int32_t>(1, 0), "out");
  auto word = std::atomic_ref(*static_cast<int32_t *>(m.device.hostPointer(out, 4)));
  std::atomic<bool> joined = false;
  LaunchResult r;
  for (unsigned attempt = 0; attempt < 20 && !(joined && r.ok); ++attempt) {
    word.store(0);
    const std::set<std::string> before = threadIds(); // those of former launches may linger in it
    joined = false;
    std::atomic<bool> ended = false;
    std::thread observer([&] {
      while (!joined && !ended) {
        size_t started = 0;
        for (const std::string &id : threadIds()) started += !before.contains(id);
        joined = started > 1; // one is this observer
      }
      word.store(1);
    });
    LaunchConfig c = shape(64, 64);
    c.threads = 2;
    r = m.device.launch(*m.module, "endless", c, arguments(out));
    ended = true;
    observer.join();
  }
  EXPECT_TRUE(r.ok) << r.report.text();
  EXPECT_TRUE(joined);
}

} // namespace
