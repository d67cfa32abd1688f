// What the emulator says when something is wrong.
#include "tests/emulator/TestSupport.h"

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

void expectContains(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << "expected \"" << part << "\" in:\n" << text;
}

TEST(Fault, ReadPastTheEndNamesKernelInstructionLineLaneAndAllocation) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    Machine m("structure", arch, "O2");
    ASSERT_TRUE(m.module) << m.error;
    uint64_t in = m.device.allocate(400, "in"), out = m.device.allocate(400, "out");
    LaunchResult r = m.device.launch(*m.module, "past_end", shape(1, 128), arguments(out, in, int32_t(100)));
    EXPECT_FALSE(r.ok);
    EXPECT_EQ(r.report.kind, FaultKind::OutOfBounds);
    EXPECT_EQ(r.report.address->address, in + 400);
    EXPECT_EQ(r.report.instruction->file, "structure.c");
    EXPECT_GT(r.report.instruction->line, 0u);
    expectContains(r.report.text(), "kernel `past_end` on " + std::string(arch));
    expectContains(r.report.text(), "global_load_");
    expectContains(r.report.text(), "structure.c:");
    expectContains(r.report.text(), "work-item (99, 0, 0)");
    expectContains(r.report.text(), "0 bytes past the end of `in` (400 bytes");
  }
}

TEST(Fault, WriteToFreedMemorySaysSo) {
  Machine m("structure", "gfx942", "O2");
  uint64_t in = m.device.allocate(400, "in"), out = m.device.allocate(400, "out");
  EXPECT_TRUE(m.device.free(out));
  EXPECT_FALSE(m.device.free(out));
  LaunchResult r = m.device.launch(*m.module, "past_end", shape(1, 64), arguments(out, in, int32_t(10)));
  EXPECT_EQ(r.report.kind, FaultKind::OutOfBounds);
  expectContains(r.report.text(), "write of 4 bytes");
  expectContains(r.report.text(), "freed");
}

TEST(Fault, LdsBeyondTheWorkgroupsAllocation) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    Machine m("structure", arch, "O0");
    uint64_t out = m.device.allocate(4, "out");
    LaunchResult r = m.device.launch(*m.module, "lds_past_end", shape(1, 1), arguments(out, int32_t(32)));
    EXPECT_EQ(r.report.kind, FaultKind::LdsOutOfBounds);
    EXPECT_EQ(r.report.address->address, 128u);
    expectContains(r.report.text(), "128 bytes of LDS");
  }
}

TEST(Fault, EndlessLoopIsStopped) {
  Machine m("structure", "gfx1201", "O2");
  std::vector<int32_t> zero = {0};
  uint64_t out = m.upload(zero, "out");
  LaunchConfig c = shape(1, 32);
  c.instructionLimit = 300;
  LaunchResult r = m.device.launch(*m.module, "endless", c, arguments(out));
  EXPECT_EQ(r.report.kind, FaultKind::Runaway);
  expectContains(r.report.text(), "300 wave instructions");
  EXPECT_GE(r.waveInstructions, 300u);
}

TEST(Fault, ALoopThatNothingCanEndIsADeadlock) {
  Machine m("structure", "gfx1201", "O2");
  std::vector<int32_t> zero = {0};
  uint64_t out = m.upload(zero, "out");
  LaunchConfig c = shape(3, 32);
  c.threads = 1; // of several, each may wait for what another one does
  LaunchResult r = m.device.launch(*m.module, "endless", c, arguments(out));
  EXPECT_EQ(r.report.kind, FaultKind::Deadlock);
  expectContains(r.report.text(), "nothing can change what they wait for");
  expectContains(r.report.text(), "polls 4 bytes at");
  EXPECT_LT(r.waveInstructions, 1000000u);
}

TEST(Fault, TrapStopsTheKernel) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    Machine m("structure", arch, "O2");
    std::vector<int32_t> seven = {7};
    uint64_t out = m.upload(seven, "out");
    EXPECT_EQ(m.device.launch(*m.module, "trap", shape(1, 1), arguments(out)).report.kind, FaultKind::Trap);
  }
}

TEST(Fault, WaitWithoutSignalIsADeadlock) {
  Machine m("gfx12", "gfx1201", "O2");
  ASSERT_TRUE(m.module) << m.error;
  uint64_t out = m.device.allocate(4, "out");
  LaunchResult r = m.device.launch(*m.module, "wait_without_signal", shape(1, 64), arguments(out));
  EXPECT_EQ(r.report.kind, FaultKind::Deadlock);
  expectContains(r.report.text(), "wave 0: waits at s_barrier_wait");
  expectContains(r.report.text(), "wave 1: waits at s_barrier_wait");
}

TEST(Fault, SplitBarrierLetsWavesWorkInBetween) {
  for (const char *arch : {"gfx1201", "gfx1250"}) {
    Machine m("gfx12", arch, "O2");
    ASSERT_TRUE(m.module) << m.error;
    uint64_t out = m.device.allocate(256, "out");
    auto check = [&] {
      LaunchResult r = m.device.launch(*m.module, "signal_then_wait", shape(1, 64), arguments(out));
      ASSERT_TRUE(r.ok) << r.report.text();
      auto got = m.download<int32_t>(out, 64);
      for (int t = 0; t < 64; ++t) EXPECT_EQ(got[size_t(t)], (63 - t) * 3 + t + 1);
    };
    check();
    recordNoticed(*m.module, "program", check);
  }
}

TEST(Fault, LaunchChecks) {
  Machine m("structure", "gfx942", "O2");
  uint64_t out = m.device.allocate(64, "out");
  auto report = [&](const char *kernel, LaunchConfig c, std::string bytes) {
    LaunchResult r = m.device.launch(*m.module, kernel, c, bytes);
    EXPECT_EQ(r.report.kind, FaultKind::BadLaunch);
    return r.report.text();
  };
  expectContains(report("nothing", shape(1, 1), ""), "no such kernel");
  expectContains(report("trap", shape(1, 1), ""), "takes 8 bytes of arguments, not 0");
  expectContains(report("trap", shape(0, 1), arguments(out)), "is 0");
  expectContains(report("trap", shape(1, 2048), arguments(out)), "2048 work-items");
  LaunchConfig c = shape(1, 1);
  c.dynamicLdsBytes = 1 << 20;
  expectContains(report("trap", c, arguments(out)), "bytes of LDS");
}

TEST(Fault, LoadRefusesWhatIsNotForThisDevice) {
  Device device(*findArchitecture("gfx950"));
  std::string error;
  EXPECT_FALSE(device.load(codeObject("structure", "gfx942", "O2"), error));
  expectContains(error, "gfx942");
  expectContains(error, "gfx950");
  EXPECT_FALSE(device.load("", error));
  EXPECT_FALSE(device.load("no code object", error));
  EXPECT_FALSE(error.empty());
}

/// Flipped bytes anywhere in the file: load and launch end with a verdict, never with a crash.
TEST(Fault, DamagedCodeObjectsNeverCrash) {
  std::string good = codeObject("structure", "gfx1201", "O1");
  std::mt19937 random(11);
  unsigned loaded = 0;
  for (unsigned round = 0; round < 400; ++round) {
    std::string bad = good;
    for (unsigned k = 0; k < 1 + round % 4; ++k) bad[random() % bad.size()] = static_cast<char>(random());
    if (round % 10 == 0) bad.resize(random() % bad.size());
    Device device(*findArchitecture("gfx1201"));
    std::string error;
    auto module = device.load(bad, error);
    if (!module) {
      EXPECT_FALSE(error.empty());
      continue;
    }
    ++loaded;
    uint64_t buffer = device.allocate(4096, "buffer");
    device.fill(buffer, 1, 4096);
    for (const char *kernel : {"block_sum", "calls"}) {
      LaunchConfig c = shape(1, 64);
      c.instructionLimit = 20000;
      LaunchResult r = device.launch(*module, kernel, c, arguments(buffer, buffer, int32_t(64)));
      EXPECT_TRUE(r.ok || !r.report.text().empty());
    }
  }
  EXPECT_GT(loaded, 50u);
}

/// A word that no gfx942 instruction begins with, in place of the kernel's first instruction.
TEST(Fault, UnknownInstructionNamesKernelAndAddress) {
  std::string bytes = codeObject("structure", "gfx942", "O2");
  Device device(*findArchitecture("gfx942"));
  std::string error;
  ASSERT_TRUE(device.load(bytes, error)) << error;
  // s_endpgm ends every kernel; replace each by a word that is not an instruction.
  unsigned replaced = 0;
  for (size_t at = 0; at + 4 <= bytes.size(); at += 4)
    if (!std::memcmp(&bytes[at], "\x00\x00\x81\xbf", 4)) {
      std::memcpy(&bytes[at], "\xff\xff\xff\xff", 4);
      ++replaced;
    }
  ASSERT_GT(replaced, 0u);
  auto module = device.load(bytes, error);
  ASSERT_TRUE(module) << error;
  uint64_t out = device.allocate(16, "out");
  device.fill(out, 0, 16);
  LaunchResult r = device.launch(*module, "trap", shape(1, 1), arguments(out));
  EXPECT_EQ(r.report.kind, FaultKind::UnknownInstruction);
  expectContains(r.report.text(), "kernel `trap` on gfx942");
  expectContains(r.report.text(), "not an instruction of gfx942");
  expectContains(r.report.text(), "ff ff ff ff");
}

TEST(Memory, AllocationsAreAlignedPoisonedAndNeverReused) {
  Device device(*findArchitecture("gfx942"));
  uint64_t a = device.allocate(10, "a"), b = device.allocate(10, "b");
  EXPECT_EQ(a % 256, 0u);
  EXPECT_GT(b, a + 4096);
  uint32_t word = 0;
  EXPECT_TRUE(device.read(a, &word, 4));
  EXPECT_EQ(word, 0xfbfbfbfbu);
  EXPECT_FALSE(device.read(a + 8, &word, 4));
  EXPECT_FALSE(device.write(a - 1, &word, 1));
  EXPECT_EQ(device.hostPointer(a, 11), nullptr);
  EXPECT_TRUE(device.free(a));
  EXPECT_NE(device.allocate(10, "c"), a);
  EXPECT_EQ(device.allocate(1ull << 60), 0u);
}

// Of what is large, only pages that are written take memory.
TEST(Memory, LargeAllocationsArePoisonedToo) {
  Device device(*findArchitecture("gfx942"));
  const uint64_t bytes = (3ull << 30) + 100, a = device.allocate(bytes, "a");
  ASSERT_NE(a, 0u);
  uint32_t word = 0;
  for (const uint64_t at : {uint64_t(0), (uint64_t(64) << 20) - 2, uint64_t(1) << 31, bytes - 4}) {
    ASSERT_TRUE(device.read(a + at, &word, 4));
    EXPECT_EQ(word, 0xfbfbfbfbu) << at;
  }
  const uint32_t mine = 7;
  ASSERT_TRUE(device.write(a + (64ull << 20), &mine, 4));
  ASSERT_TRUE(device.read(a, &word, 4));
  EXPECT_EQ(word, 0xfbfbfbfbu);
  ASSERT_TRUE(device.fill(a + 5, 0, bytes - 10));
  for (const auto &[at, value] :
       {std::pair(uint64_t(4), 0x000000fbu), {uint64_t(64) << 20, 0u}, {bytes - 8, 0xfb000000u}}) {
    ASSERT_TRUE(device.read(a + at, &word, 4));
    EXPECT_EQ(word, value) << at;
  }
}

} // namespace
