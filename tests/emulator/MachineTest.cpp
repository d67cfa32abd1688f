// The files of machines: every constant has a source, matrix cycles are those of the atoms, and wrong files say why.
#include "compiler/atom/Mma.h"
#include "compiler/target/Target.h"
#include "runtime/emulator/timing/Machine.h"
#include "runtime/emulator/timing/MemoryPath.h"
#include "runtime/emulator/timing/Trace.h"

#include <random>
#include <set>
#include <vector>
#include <gtest/gtest.h>

using namespace fly::emulator;

namespace {

TEST(Machine, EveryArchitectureHasOneWithSources) {
  for (const fly::target::Target &target : fly::target::all()) {
    auto machine = machineOf(target.name);
    ASSERT_TRUE(machine) << target.name;
    for (const MachineMember &member : machineMembers()) {
      auto found = machine->constants.find(member.name);
      ASSERT_NE(found, machine->constants.end()) << target.name << " " << member.name;
      EXPECT_FALSE(found->second.source.empty()) << target.name << " " << member.name;
      EXPECT_EQ(machine.get()->*member.member, found->second.value);
    }
  }
}

/// Two tables have the cycles of matrix instructions: the atoms', which the compiler reports, and the machine's, which
/// can be corrected.
TEST(Machine, MatrixCyclesAreThoseOfTheAtoms) {
  for (const fly::target::Target &target : fly::target::all()) {
    auto machine = machineOf(target.name);
    unsigned compared = 0;
    for (const fly::atom::MmaRow &row : fly::atom::mmaRows()) {
      const fly::atom::MmaTarget *on = row.on(target.name);
      if (!on || !on->cycles) continue;
      auto found = machine->matrixCycles.find(row.name);
      ASSERT_NE(found, machine->matrixCycles.end()) << target.name << " " << row.name;
      EXPECT_EQ(found->second.cycles, static_cast<double>(on->cycles)) << target.name << " " << row.name;
      ++compared;
    }
    EXPECT_GT(compared, 0u) << target.name;
  }
}

TEST(Machine, AFileChangesWhatItNames) {
  std::string error;
  auto machine = parseMachine(R"({"architecture": "gfx950", "name": "mine", "constants": {"lds_latency": {"value": 99}}})", error);
  ASSERT_TRUE(machine) << error;
  EXPECT_EQ(machine->name, "mine");
  EXPECT_EQ(machine->ldsLatency, 99);
  EXPECT_EQ(machine->ldsQueue, machineOf("gfx950")->ldsQueue);
  EXPECT_EQ(machine->matrixCycles.size(), machineOf("gfx950")->matrixCycles.size());
}

TEST(Machine, WrongFilesSayWhy) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "not a JSON object"},
      {"[]", "not a JSON object"},
      {"{}", "`architecture` is missing"},
      {R"({"architecture": 5})", "`architecture` is missing"},
      {R"({"architecture": "gfx90a"})", "no machine for architecture `gfx90a`"},
      {R"({"architecture": "gfx950", "constant": {}})", "unknown key `constant`"},
      {R"({"architecture": "gfx950", "schema_version": 2})", "`schema_version` must be 1"},
      {R"({"architecture": "gfx950", "constants": []})", "`constants` must be an object"},
      {R"({"architecture": "gfx950", "constants": {"lds": {"value": 1}}})", "unknown constant `lds`"},
      {R"({"architecture": "gfx950", "constants": {"turn": 4}})", "must be an object with a number as `value`"},
      {R"({"architecture": "gfx950", "constants": {"turn": {"value": "4"}}})", "must be an object with a number"},
      {R"({"architecture": "gfx950", "constants": {"turn": {"value": 0}}})", "`turn` must be at least 1"},
      {R"({"architecture": "gfx950", "constants": {"lds_latency": {"value": -1}}})", "out of range"},
      {R"({"architecture": "gfx950", "constants": {"lds_latency": {"value": 1e300}}})", "out of range"},
      {R"({"architecture": "gfx950", "constants": {"xcds": {"value": 100000}}})", "`xcds` must be at most 1024"},
      {R"({"architecture": "gfx950", "constants": {"turn": {"value": 4, "certainty": "sure"}}})", "`certainty` must be one of"},
      {R"({"architecture": "gfx950", "constants": {"turn": {"value": 4, "source": 1}}})", "`source` must be a text"},
      {R"({"architecture": "gfx950", "matrix_cycles": {}})", "`matrix_cycles` must be a list"},
      {R"({"architecture": "gfx950", "matrix_cycles": [{"instruction": "v"}]})", "must have `instruction`"},
      {R"({"architecture": "gfx950", "matrix_cycles": [{"instruction": "v", "cycles": 0}]})", "must have `instruction`"},
      {R"({"architecture": "gfx950", "matrix_cycles": [{"instruction": "v", "cycles": 8, "narrow_cycles": 0}]})", "`narrow_cycles` must be"},
  };
  for (auto [text, expected] : cases) {
    std::string error;
    EXPECT_FALSE(parseMachine(text, error)) << text;
    EXPECT_NE(error.find(expected), std::string::npos) << text << ": " << error;
  }
}

TEST(Tags, TheLeastRecentlyUsedLineGoes) {
  Tags tags(4 * lineBytes, 4); // one set of four
  for (uint64_t line : {1, 2, 3, 4}) tags.insert(line, static_cast<double>(10 * line));
  EXPECT_EQ(tags.find(1), 10);
  tags.insert(5, 50);
  EXPECT_LT(tags.find(2), 0);
  EXPECT_EQ(tags.find(1), 10);
  EXPECT_EQ(tags.find(5), 50);
  tags.clear();
  EXPECT_LT(tags.find(1), 0);
}

/// More lines than any of these tests touches.
constexpr size_t manyLines = 1 << 16;

/// What repeated sweeps leave in a cache that replaces lines at random: all of what fits, then less and less of it.
TEST(MemoryPath, aShareOfWhatIsTooLargeIsLeft) {
  EXPECT_EQ(shareLeft(100, 100), 1);
  EXPECT_NEAR(shareLeft(110, 100), 0.824, 0.001);
  EXPECT_NEAR(shareLeft(200, 100), 0.203, 0.001);
  // As a simulation finds it: 20 sweeps over twice the lines.
  std::mt19937 random(1);
  std::vector<unsigned> held(4096);
  std::set<unsigned> there;
  unsigned hits = 0;
  for (unsigned sweep = 0; sweep < 20; ++sweep)
    for (unsigned line = 1; line <= 8192; ++line) {
      if (there.count(line)) {
        hits += sweep >= 10;
        continue;
      }
      unsigned &victim = held[random() % held.size()];
      there.erase(victim);
      there.insert(victim = line);
    }
  EXPECT_NEAR(hits / (10.0 * 8192), shareLeft(2, 1), 0.02);
}

TEST(MemoryPath, EachLevelHasItsLatency) {
  auto m = machineOf("gfx950");
  Beyond beyond(*m, 1, 1, 0, manyLines);
  FarMemory far(*m, 32, beyond);
  NearMemory near(*m, far), other(*m, far);
  EXPECT_EQ(near.load(0, 7), m->memoryLatency);
  EXPECT_EQ(near.load(5000, 7), 5000 + m->l1Latency);
  EXPECT_EQ(other.load(10000, 7), 10000 + m->l2Latency);
  FarMemory another(*m, 32, beyond);
  NearMemory third(*m, another);
  EXPECT_EQ(third.load(20000, 7), 20000 + m->memorySideLatency);
  Beyond warm(*m, 1, 1, 1, manyLines);
  FarMemory cached(*m, 32, warm);
  NearMemory fourth(*m, cached);
  EXPECT_EQ(fourth.load(0, 7), m->memorySideLatency);
}

TEST(MemoryPath, ALineOnItsWayIsNotFetchedAgain) {
  auto m = machineOf("gfx950");
  Beyond beyond(*m, 1, 1, 0, manyLines);
  FarMemory far(*m, 32, beyond);
  NearMemory near(*m, far);
  const double there = near.load(0, 7);
  EXPECT_EQ(near.load(10, 7), there);
  EXPECT_EQ(beyond.bytes, lineBytes);
}

TEST(MemoryPath, BandwidthIsThatOfTheSlowestStage) {
  auto m = machineOf("gfx950");
  Beyond beyond(*m, 1.0 / 8, 1, 0, manyLines);
  FarMemory far(*m, 32, beyond);
  std::vector<NearMemory> units(32, NearMemory(*m, far));
  double last = 0;
  const unsigned lines = 4000;
  for (unsigned k = 0; k < lines; ++k)
    for (unsigned u = 0; u < 32; ++u) last = std::max(last, units[u].load(k * 1.0, uint64_t(u) * 100000 + k));
  const double bytes = 32.0 * lines * lineBytes, rate = bytes / (last - m->memoryLatency);
  EXPECT_NEAR(rate, m->memoryBytesPerCycle / 8, m->memoryBytesPerCycle / 8 * 0.01);
}

TEST(MemoryPath, OfSharedLinesOtherXcdsBringTheirPart) {
  auto m = machineOf("gfx950");
  Beyond beyond(*m, 1.0 / 8, 0.25, 0, manyLines);
  unsigned own = 0;
  for (uint64_t line = 0; line < 4000; ++line) {
    const double busy = beyond.memory.busy;
    beyond.read(0, line);
    own += beyond.memory.busy > busy;
  }
  EXPECT_NEAR(own, 1000, 100);
}

TEST(MemoryPath, LoadsInFlightAreLimited) {
  auto m = machineOf("gfx950");
  Beyond beyond(*m, 1, 1, 0, manyLines);
  FarMemory far(*m, 32, beyond);
  NearMemory near(*m, far);
  const auto most = static_cast<unsigned>(m->inFlightBytes / lineBytes);
  for (unsigned k = 0; k < most; ++k) {
    EXPECT_EQ(near.roomAt(0, 1), 0) << k;
    near.load(0, k);
  }
  EXPECT_GE(near.roomAt(0, 1), m->memoryLatency);
}

} // namespace
