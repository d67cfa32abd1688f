// Profiles of kernels whose counts are known in advance, and of matrix instructions.
#include "runtime/emulator/watch/ProfileCounters.h"
#include "tests/emulator/StepBench.h"
#include "tests/emulator/TestSupport.h"

#include <fstream>
#include <nlohmann/json.hpp>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

Profile profileOf(Machine &m, const char *kernel, LaunchConfig config, const std::string &arguments) {
  Profile profile;
  config.profile = &profile;
  LaunchResult result = m.device.launch(*m.module, kernel, config, arguments);
  EXPECT_TRUE(result.ok) << result.report.text();
  EXPECT_EQ(profile.total().executions, result.waveInstructions);
  return profile;
}
/// Counts of the one instruction that reads or writes global memory.
ProfileCounts globalAccess(const Profile &p, bool write) {
  ProfileCounts found;
  for (const ProfiledInstruction &i : p.instructions)
    if (write ? i.counts.globalWrittenBytes : i.counts.globalReadBytes) found += i.counts;
  return found;
}

/// Where the compiler leaves no other memory accesses than those written.
template <class F> void optimised(F body) {
  for (const char *arch : architectures)
    for (const char *level : {"O2", "O3", "wave64"}) {
      if (!std::strcmp(level, "wave64") && std::strcmp(arch, "gfx1201")) continue;
      SCOPED_TRACE(std::string(arch) + " " + level);
      Machine machine("profile", arch, level);
      ASSERT_TRUE(machine.module) << machine.error;
      body(machine);
    }
}

TEST(Profile, BytesLanesAndTransactionsOfACopy) {
  optimised([](Machine &m) {
    uint64_t in = m.device.allocate(512 * 4, "in"), out = m.device.allocate(512 * 4, "out");
    Profile p = profileOf(m, "copy", shape(2, 256), arguments(out, in));
    unsigned waves = 512 / p.waveSize;
    EXPECT_EQ(p.kernel, "copy");
    EXPECT_EQ(p.waves, waves);
    EXPECT_EQ(p.workgroups, 2u);
    ProfileCounts t = p.total();
    EXPECT_EQ(t.globalReadBytes, 2048u);
    EXPECT_EQ(t.globalWrittenBytes, 2048u);
    ProfileCounts load = globalAccess(p, false);
    EXPECT_EQ(load.executions, waves);
    EXPECT_EQ(load.lanes, 512u);
    EXPECT_EQ(load.transactions32, 64u);
    EXPECT_EQ(load.transactions64, 32u);
    EXPECT_EQ(load.transactions128, 16u);
    EXPECT_GT(t.scalarReadBytes, 0u);
  });
}

TEST(Profile, StridedAndSharedAddresses) {
  optimised([](Machine &m) {
    uint64_t in = m.device.allocate(64 * 128, "in"), out = m.device.allocate(256, "out");
    m.device.fill(in, 0, 64 * 128);
    ProfileCounts load = globalAccess(profileOf(m, "strided", shape(1, 64), arguments(out, in)), false);
    EXPECT_EQ(load.transactions32, 64u);
    EXPECT_EQ(load.transactions128, 64u);
  });
}

TEST(Profile, LdsConflictsByTheRuleOfTheArchitecture) {
  optimised([](Machine &m) {
    uint64_t out = m.device.allocate(256, "out");
    for (int stride : {1, 2, 32, 33}) {
      Profile p = profileOf(m, "conflict", shape(1, 64), arguments(out, int32_t(stride)));
      uint64_t want = 0, cycles = 0;
      for (bool write : {false, true})
        for (unsigned first = 0; first < 64; first += p.waveSize) {
          uint64_t addresses[64];
          for (unsigned l = 0; l < p.waveSize; ++l)
            addresses[l] = static_cast<uint64_t>(first + l) * 4 * static_cast<unsigned>(stride);
          fly::target::LdsCost cost = fly::target::ldsCost(fly::target::ldsRule(p.architecture, p.waveSize, 4, write),
                                                           p.waveSize == 64 ? ~0ull : 0xffffffff, addresses, 4, false);
          want += cost.conflicts();
          cycles += cost.cycles;
        }
      EXPECT_EQ(p.total().ldsConflictCycles, want) << stride;
      EXPECT_EQ(p.total().ldsCycles, cycles) << stride;
      EXPECT_EQ(p.total().ldsReadBytes, 256u);
      EXPECT_EQ(p.total().ldsWrittenBytes, 256u);
      if (stride % 2) EXPECT_EQ(want, 0u) << stride;
    }
  });
}

TEST(Profile, HalfOfTheLanesInALoop) {
  Machine m("profile", "gfx942", "O2");
  ASSERT_TRUE(m.module) << m.error;
  uint64_t in = m.device.allocate(256, "in"), out = m.device.allocate(256, "out");
  Profile p = profileOf(m, "half_lanes", shape(1, 64), arguments(out, in));
  unsigned seen = 0;
  for (const ProfiledInstruction &i : p.instructions)
    if (i.unit == "vector" && i.counts.executions > 10) {
      EXPECT_EQ(i.counts.lanes, 32 * i.counts.executions) << i.text;
      ++seen;
    }
  EXPECT_GT(seen, 0u);
  EXPECT_LT(p.activeLaneShare(), 0.7);
  EXPECT_GT(p.activeLaneShare(), 0.45);
  std::vector<ProfiledLine> lines = p.lines();
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0].file.substr(lines[0].file.find_last_of('/') + 1), "profile.c");
  EXPECT_EQ(lines[0].line, 28u); // the loop
}

TEST(Profile, AtomicsCountTheirLanes) {
  optimised([](Machine &m) {
    uint64_t counter = m.device.allocate(256, "counter");
    Profile p = profileOf(m, "count", shape(3, 64), arguments(counter));
    EXPECT_EQ(p.total().atomicLanes, 192u);
    EXPECT_EQ(p.total().globalWrittenBytes, 768u);
  });
}

TEST(Profile, FlopsOfALoopOfMatrixInstructions) {
  for (const char *arch : {"gfx942", "gfx950"}) {
    Machine m("profile", arch, "O2");
    ASSERT_TRUE(m.module) << m.error;
    uint64_t in = m.device.allocate(64 * 8, "in"), out = m.device.allocate(64 * 16, "out");
    m.device.fill(in, 0, 64 * 8);
    Profile p = profileOf(m, "matrix", shape(3, 64), arguments(out, in, int32_t(21)));
    EXPECT_EQ(p.total().matrixFlops, 3u * 21 * 2 * 16 * 16 * 16);
    EXPECT_EQ(nlohmann::json::parse(profileJson(p))["mix"]["matrix"], 63);
    EXPECT_NE(profileText(p).find("516096 flop"), std::string::npos);
  }
}

TEST(Profile, ThreadsAddUp) {
  Machine m("profile", "gfx1201", "O2");
  ASSERT_TRUE(m.module) << m.error;
  const uint32_t groups = 4000;
  uint64_t in = m.device.allocate(groups * 256 * 4, "in"), out = m.device.allocate(groups * 256 * 4, "out");
  LaunchConfig c = shape(groups, 256);
  c.threads = 1;
  std::string one = profileJson(profileOf(m, "copy", c, arguments(out, in)));
  c.threads = 3;
  EXPECT_EQ(profileJson(profileOf(m, "copy", c, arguments(out, in))), one);
}

TEST(Profile, ReportsNameWhatWasCounted) {
  Machine m("profile", "gfx950", "O2");
  ASSERT_TRUE(m.module) << m.error;
  uint64_t out = m.device.allocate(256, "out");
  Profile p = profileOf(m, "conflict", shape(1, 64), arguments(out, int32_t(32)));
  std::string text = profileText(p);
  EXPECT_NE(text.find("profile of conflict on gfx950: grid 1x1x1, block 64x1x1, 1 waves of 64 lanes"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("bank conflicts"), std::string::npos) << text;
  std::string listing =
      profileListing(p, [](const std::string &, unsigned line) { return "source " + std::to_string(line); });
  EXPECT_NE(listing.find("profile.c:22: source 22"), std::string::npos) << listing;
  EXPECT_NE(listing.find("conflict cycles"), std::string::npos) << listing;
  auto json = nlohmann::json::parse(profileJson(p));
  EXPECT_EQ(json["total"]["lds_conflict_cycles"], p.total().ldsConflictCycles);
  EXPECT_EQ(json["mix"]["barrier"], 1);
  EXPECT_EQ(json["code"].size(), p.instructions.size());
}

/// Operands with register counts as AMD's calculator has them.
TEST(Profile, FlopsOfMatrixInstructionsAreThoseOfTheCalculator) {
  std::ifstream file(FLY_TEST_FACTS "/mma_facts.json");
  auto facts = nlohmann::json::parse(file);
  std::map<std::string, std::unique_ptr<StepBench>> benches;
  unsigned seen = 0;
  for (const auto &[key, fact] : facts.items()) {
    std::string arch = fact.at("arch"), name = fact.at("instruction");
    if (!findArchitecture(arch) || fact.at("flops").is_null()) continue;
    // As the register counts.
    if (!benches[arch]) benches[arch] = std::make_unique<StepBench>(arch, StepOptions{.waveSize = 64});
    auto range = [&](const char *which, unsigned first) {
      unsigned n = static_cast<unsigned>(std::stoul(fact.at("registers").at(which).get<std::string>()));
      return n == 1 ? "v" + std::to_string(first)
                    : "v[" + std::to_string(first) + ":" + std::to_string(first + n - 1) + "]";
    };
    bool sparse = name.find("smfmac") != std::string::npos || name.find("swmmac") != std::string::npos;
    std::string text = name + " " + range("D", 0) + ", " + range("A", 64) + ", " + range("B", 96) + ", " +
                       (sparse ? "v128" : range("D", 0));
    int number = benches[arch]->add(text);
    ASSERT_GE(number, 0) << text << ": " << benches[arch]->error();
    EXPECT_EQ(matrixFlops(benches[arch]->instruction(number), benches[arch]->lanes()), fact.at("flops").get<uint64_t>())
        << text;
    ++seen;
  }
  EXPECT_GT(seen, 50u);
}

} // namespace
