// The time model on kernels that clang compiled: it adds up, it is deterministic, and it answers to its constants.
#include "runtime/emulator/timing/Machine.h"
#include "runtime/emulator/timing/Timing.h"
#include "runtime/emulator/watch/Profile.h"
#include "tests/emulator/TestSupport.h"

#include <nlohmann/json.hpp>

using namespace fly::emulator;
using fly::emulator::test::architectures;
using fly::emulator::test::arguments;
using fly::emulator::test::shape;
using TestMachine = fly::emulator::test::Machine;

namespace {

/// The architecture's machine with other values.
std::shared_ptr<const Machine> machineWith(const std::string &arch,
                                           std::vector<std::pair<std::string, double>> values) {
  nlohmann::json json{{"architecture", arch}, {"constants", nlohmann::json::object()}};
  for (auto &[name, value] : values) json["constants"][name] = {{"value", value}};
  std::string error;
  auto machine = parseMachine(json.dump(), error);
  EXPECT_TRUE(machine) << error;
  return machine;
}

struct Launched {
  TestMachine machine;
  uint64_t in, out;
  explicit Launched(const std::string &arch, const char *level = "O2")
      : machine("profile", arch, level), in(machine.device.allocate(1 << 20, "in")),
        out(machine.device.allocate(1 << 20, "out")) {
    machine.device.fill(in, 0, 1 << 20);
  }
  Timing time(const char *kernel, LaunchConfig config, const std::string &args, Timing::Options options = {},
              Profile *profile = nullptr) {
    Timing timing;
    timing.options = options;
    config.timing = &timing;
    config.profile = profile;
    LaunchResult result = machine.device.launch(*machine.module, kernel, config, args);
    EXPECT_TRUE(result.ok) << result.report.text();
    return timing;
  }
  Timing copies(unsigned grid, Timing::Options options = {}) {
    return time("copy", shape(grid, 256), arguments(out, in), options);
  }
  Timing products(int steps, Timing::Options options = {}) {
    return time("matrix", shape(1, 64), arguments(out, in, steps), options);
  }
};

Timing::Options with(const std::string &arch, std::vector<std::pair<std::string, double>> values) {
  Timing::Options options;
  options.machine = machineWith(arch, std::move(values));
  return options;
}

TEST(Timing, EachInstructionIsTimedOnce) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    Launched l(arch);
    Profile profile;
    Timing::Options whole;
    whole.wholeChip = true;
    Timing t = l.time("half_lanes", shape(8, 256), arguments(l.out, l.in), whole, &profile);
    uint64_t executed = 0;
    for (const TimedInstruction &i : t.instructions) executed += i.executions;
    EXPECT_EQ(executed, profile.total().executions);
    EXPECT_EQ(t.replayed, 8u);
    EXPECT_EQ(t.workgroups, 8u);
  }
}

TEST(Timing, TheTimeOfEachWaveIsAccountedFor) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    Launched l(arch);
    auto machine = machineOf(arch);
    Timing::Options options;
    options.timelineCycles = ~0u;
    Timing t = l.time("conflict", shape(1, 64), arguments(l.out, 1), options);
    ASSERT_FALSE(t.timeline.empty());
    uint64_t lives = 0, accounted = 0;
    for (const WaveLine &w : t.timeline) {
      EXPECT_GT(w.end, w.begin);
      lives += w.end - w.begin - static_cast<uint64_t>(machine->waveCycles);
      for (size_t k = 1; k < w.spans.size(); ++k) EXPECT_LT(w.spans[k - 1].issue, w.spans[k].issue);
      for (const WaveSpan &s : w.spans) EXPECT_TRUE(s.begin <= s.issue && s.issue <= s.end);
    }
    for (const TimedInstruction &i : t.instructions) accounted += i.issueCycles + i.stalled();
    EXPECT_EQ(accounted, lives);
  }
}

TEST(Timing, IsTheSameForAnyNumberOfThreads) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    std::string first;
    for (unsigned threads : {1u, 1u, 2u, 3u}) {
      Launched l(arch);
      LaunchConfig config = shape(96, 256);
      config.threads = threads;
      Timing t = l.time("copy", config, arguments(l.out, l.in));
      const std::string json = timingJson(t) + timingText(t);
      if (first.empty()) first = json;
      EXPECT_EQ(json, first) << threads << " threads";
    }
  }
}

TEST(Timing, TheWholeChipTakesWhatOneXcdTakes) {
  // More workgroups than fit at once: the dispatchers of all XCDs wait and go on.
  Launched l("gfx950");
  Timing::Options one = with("gfx950", {{"compute_units", 2}}), all = one;
  all.wholeChip = true;
  const Timing part = l.copies(1024, one), whole = l.copies(1024, all);
  EXPECT_EQ(part.replayed, 128u);
  EXPECT_EQ(whole.replayed, 1024u);
  EXPECT_NEAR(static_cast<double>(whole.cycles) / static_cast<double>(part.cycles), 1, 0.1);
}

TEST(Timing, ASampleHasTheSameCycles) {
  Launched l("gfx950");
  Timing::Options sample;
  sample.sample = true;
  const Timing all = l.copies(64), some = l.copies(64, sample);
  EXPECT_EQ(all.cycles, some.cycles);
  EXPECT_EQ(all.replayed, 8u);
  EXPECT_EQ(some.workgroups, 64u);
}

TEST(Timing, ASampleExecutesOnlyWhatItReplays) {
  Launched l("gfx950");
  std::vector<uint32_t> ones(256 * 16, 1);
  l.machine.device.write(l.in, ones.data(), ones.size() * 4);
  l.machine.device.fill(l.out, 0, 256 * 16 * 4);
  Timing::Options sample;
  sample.sample = true;
  l.copies(16, sample);
  const auto got = l.machine.download<uint32_t>(l.out, 256 * 16);
  for (unsigned g = 0; g < 16; ++g) EXPECT_EQ(got[256 * g], g % 8 == 0 ? 1u : 0u) << g;
}

TEST(Timing, LaterRoundsAreExtrapolated) {
  Launched l("gfx950");
  Timing::Options one;
  one.rounds = 1;
  // 8 workgroups of 256 fit on each of 32 compute units of 8 XCDs.
  const unsigned grid = 1024;
  ASSERT_LE(grid * 256 * 4, 1u << 20);
  Timing whole = l.copies(grid);
  EXPECT_EQ(whole.replayed, 128u);
  Timing::Options options = with("gfx950", {{"compute_units", 4}});
  const Timing full = l.copies(grid, options);
  EXPECT_EQ(full.replayed, 128u);
  // After one round the rest is taken for as slow as the first one, whose start nothing overlaps.
  for (auto [rounds, error] : {std::pair(1u, 0.8), {2u, 0.15}, {3u, 0.15}}) {
    options.rounds = rounds;
    const Timing part = l.copies(grid, options);
    EXPECT_EQ(part.replayed, 32u * rounds);
    EXPECT_NEAR(static_cast<double>(part.cycles) / static_cast<double>(full.cycles), 1, error) << rounds;
  }
}

TEST(Timing, DependentProductsTakeTheMatrixUnitsCycles) {
  for (const char *arch : {"gfx942", "gfx950"}) {
    SCOPED_TRACE(arch);
    Launched l(arch);
    // Above what the loop around the product takes.
    for (int cycles : {64, 100, 200}) {
      nlohmann::json json{{"architecture", arch},
                          {"matrix_cycles", {{{"instruction", "v_mfma_f32_16x16x16_f16"}, {"cycles", cycles}}}}};
      std::string error;
      Timing::Options options;
      options.machine = parseMachine(json.dump(), error);
      ASSERT_TRUE(options.machine) << error;
      const Timing longer = l.products(1024, options), shorter = l.products(512, options);
      EXPECT_NEAR(static_cast<double>(longer.cycles - shorter.cycles) / 512, cycles, 1);
      ASSERT_FALSE(longer.loops.empty());
      EXPECT_NEAR(longer.loops[0].cycles, cycles, 1);
      EXPECT_EQ(longer.loops[0].matrixCycles, cycles);
      EXPECT_NEAR(longer.loops[0].matrixShare, 1, 0.02);
    }
  }
}

TEST(Timing, AColdMissTakesTheLatencyOfItsLevel) {
  Launched l("gfx950");
  Timing::Options cold;
  cold.warm = false;
  const uint64_t warm = l.copies(1).cycles, first = l.copies(1, cold).cycles;
  auto machine = machineOf("gfx950");
  EXPECT_NEAR(static_cast<double>(first - warm), 2 * (machine->memoryLatency - machine->memorySideLatency),
              machine->memoryLatency - machine->memorySideLatency + 8); // the kernel's argument, then the data
  auto far = with("gfx950", {{"memory_side_latency", machine->memorySideLatency + 1000}});
  EXPECT_GE(l.copies(1, far).cycles, warm + 1000);
}

TEST(Timing, ConflictsOfLdsCostTime) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    Launched l(arch);
    const auto none = l.time("conflict", shape(1, 64), arguments(l.out, 1)),
               many = l.time("conflict", shape(1, 64), arguments(l.out, 32));
    EXPECT_GT(many.cycles, none.cycles);
    uint64_t conflicts = 0;
    for (const TimedInstruction &i : many.instructions) conflicts += i.conflictCycles;
    EXPECT_GT(conflicts, 0u);
  }
}

TEST(Timing, OccupancyHidesLatency) {
  // The same copies by one workgroup per compute unit and by as many as fit.
  Launched l("gfx950");
  auto small = with("gfx950", {{"xcds", 1}, {"compute_units", 1}});
  const Timing many = l.copies(64, small);
  LaunchConfig config = shape(64, 256);
  config.dynamicLdsBytes = 163840;
  const Timing few = l.time("copy", config, arguments(l.out, l.in), small);
  EXPECT_EQ(many.wavesPerSimd, 8u);
  EXPECT_EQ(few.wavesPerSimd, 1u);
  EXPECT_GT(few.cycles, 2 * many.cycles);
}

TEST(Timing, NothingIsBusierThanAlways) {
  for (const char *arch : architectures)
    for (unsigned rounds : {0u, 1u, 2u})
      for (bool warm : {true, false}) {
        SCOPED_TRACE(std::string(arch) + (warm ? " " : " cold ") + std::to_string(rounds));
        Launched l(arch);
        Timing::Options options = with(arch, {{"xcds", 1}, {"compute_units", 2}});
        options.rounds = rounds;
        options.warm = warm;
        for (const Timing &t :
             {l.copies(1024, options), l.time("conflict", shape(64, 64), arguments(l.out, 4), options)}) {
          for (unsigned k = 0; k < resourceCount; ++k) EXPECT_LE(t.busy[k], 1 + 1e-9) << name(static_cast<Resource>(k));
          EXPECT_LE(t.memoryBytes, t.peakMemoryBytes * static_cast<double>(t.cycles));
        }
      }
}

/// The bounds of the constants are such that the model ends, and does not need the host's memory.
TEST(Timing, EachConstantAtItsBoundsIsReplayed) {
  Launched l("gfx950");
  for (const MachineMember &member : machineMembers())
    for (double value : {member.least, member.most}) {
      SCOPED_TRACE(std::string(member.name) + " " + std::to_string(value));
      EXPECT_GT(l.copies(8, with("gfx950", {{member.name, value}})).cycles, 0u);
      EXPECT_GT(l.products(2, with("gfx950", {{member.name, value}})).cycles, 0u);
    }
}

/// Waves that take the lines of code from each other go on, each with the line that it has waited for.
TEST(Timing, AnInstructionCacheOfOneLineIsEnough) {
  Launched l("gfx950");
  const Timing large = l.copies(256),
               small = l.copies(256, with("gfx950", {{"instruction_cache_bytes", 64}, {"fetch_ahead", 256}}));
  EXPECT_GE(small.cycles, large.cycles);
}

TEST(Timing, TheKernelsResultsAreTheSame) {
  Launched l("gfx942");
  std::vector<uint32_t> values(1024);
  for (uint32_t k = 0; k < values.size(); ++k) values[k] = 7 * k + 1;
  l.machine.device.write(l.in, values.data(), values.size() * 4);
  l.copies(4);
  EXPECT_EQ(l.machine.download<uint32_t>(l.out, 1024), values);
}

TEST(Timing, ATraceThatDoesNotFitIsRefused) {
  Launched l("gfx950");
  Timing timing;
  timing.options.traceLimit = 1 << 20;
  LaunchConfig config = shape(1, 64);
  config.timing = &timing;
  const std::string args = arguments(l.out, l.in, 1 << 30); // would take gigabytes
  LaunchResult result = l.machine.device.launch(*l.machine.module, "matrix", config, args);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.report.kind, FaultKind::BadLaunch);
  EXPECT_NE(result.report.text().find("its trace needs more than 1 MiB; `--rounds N`"), std::string::npos)
      << result.report.text();
}

TEST(Timing, AnotherArchitecturesMachineIsRefused) {
  Launched l("gfx942");
  Timing timing;
  timing.options.machine = machineOf("gfx950");
  LaunchConfig config = shape(1, 256);
  config.timing = &timing;
  LaunchResult result = l.machine.device.launch(*l.machine.module, "copy", config, arguments(l.out, l.in));
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.report.text().find("the machine MI355X is a gfx950, not a gfx942"), std::string::npos)
      << result.report.text();
}

} // namespace
