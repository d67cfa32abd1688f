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
  auto machine =
      parseMachine(R"({"architecture": "gfx950", "name": "mine", "constants": {"lds_latency": {"value": 99}}})", error);
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
      {R"({"architecture": "gfx950", "constants": {"turn": {"value": 0}}})",
       "`turn` must be a whole number from 1 to 64, not 0"},
      {R"({"architecture": "gfx950", "constants": {"lds_latency": {"value": 1e300}}})",
       "from 0 to 1000000, not 1e+300"},
      {R"({"architecture": "gfx950", "constants": {"turn": {"value": 4, "certainty": "sure"}}})",
       "`certainty` must be one of"},
      {R"({"architecture": "gfx950", "constants": {"turn": {"value": 4, "source": 1}}})", "`source` must be a string"},
      {R"({"architecture": "gfx950", "matrix_cycles": {}})", "`matrix_cycles` must be a list"},
      {R"({"architecture": "gfx950", "matrix_cycles": [{"cycles": 8}]})", "must have `instruction`"},
      {R"({"architecture": "gfx950", "matrix_cycles": [{"instruction": "v_mfma_f32_32x32x8_f16"}]})",
       "`cycles` of `v_mfma_f32_32x32x8_f16` must be"},
      {R"({"architecture": "gfx950", "matrix_cycles": [{"instruction": "v", "cycles": 0}]})",
       "`cycles` of `v` must be a number above 0"},
      {R"({"architecture": "gfx950", "matrix_cycles": [{"instruction": "v", "cycles": 1e300}]})",
       "above 0 and up to 1000000"},
      {R"({"architecture": "gfx950", "matrix_cycles": [{"instruction": "v", "cycles": 8, "narrow_cycles": 0}]})",
       "`narrow_cycles` of `v` must be"},
      {R"({"architecture": "gfx950", "matrix_cycles": [{"instruction": "v_mfma_f32_9x9x9_f16", "cycles": 8}]})",
       "`v_mfma_f32_9x9x9_f16` in `matrix_cycles` is not a matrix instruction of gfx950"},
      {R"({"architecture": "gfx950", "matrix_cycles": [{"instruction": "v_add_f32", "cycles": 8}]})",
       "`v_add_f32` in `matrix_cycles` is not a matrix instruction"},
      {R"({"architecture": "gfx950", "matrix_cycles": [{"instruction": "v_wmma_f32_16x16x16_f16", "cycles": 8}]})",
       "is not a matrix instruction of gfx950"},
  };
  for (auto [text, expected] : cases) {
    std::string error;
    EXPECT_FALSE(parseMachine(text, error)) << text;
    EXPECT_NE(error.find(expected), std::string::npos) << text << ": " << error;
  }
}

/// A file for gfx950 that gives one constant a value.
std::string fileWith(const char *constant, double value) {
  char text[200];
  std::snprintf(text, sizeof text, R"({"architecture": "gfx950", "constants": {"%s": {"value": %.17g}}})", constant,
                value);
  return text;
}

TEST(Machine, EveryConstantHasBounds) {
  for (const MachineMember &member : machineMembers()) {
    SCOPED_TRACE(member.name);
    std::string error;
    for (double good : {member.least, member.most})
      EXPECT_TRUE(parseMachine(fileWith(member.name, good), error)) << error;
    for (double bad : {member.least - 1, member.most * 1.5, 1e300}) {
      EXPECT_FALSE(parseMachine(fileWith(member.name, bad), error)) << bad;
      EXPECT_NE(error.find("constant `" + std::string(member.name) + "` must be a "), std::string::npos) << error;
      EXPECT_NE(error.find("number from "), std::string::npos) << error;
    }
    EXPECT_EQ(parseMachine(fileWith(member.name, member.least + 0.5), error) == nullptr, member.whole) << error;
  }
}

/// Also those of which the built-in machine says nothing.
TEST(Machine, CyclesOfEachMatrixInstructionCanBeGiven) {
  std::string error;
  auto machine = parseMachine(R"({"architecture": "gfx950", "matrix_cycles": [
      {"instruction": "v_smfmac_i32_32x32x64_i8", "cycles": 20}, {"instruction": "v_mfma_f32_32x32x8_f16", "cycles": 9}]})",
                              error);
  ASSERT_TRUE(machine) << error;
  EXPECT_EQ(machineOf("gfx950")->matrixCycles.count("v_smfmac_i32_32x32x64_i8"), 0u);
  EXPECT_EQ(machine->matrixCycles.at("v_smfmac_i32_32x32x64_i8").cycles, 20);
  EXPECT_EQ(machine->matrixCycles.at("v_mfma_f32_32x32x8_f16").narrow, 9);
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

/// What is written and not yet written back fits into the L2 caches. Beyond that memory decides.
TEST(MemoryPath, StoresGoOnAtTheRateOfMemory) {
  auto m = machineOf("gfx950");
  Beyond beyond(*m, 1.0 / 8, 1, 0, manyLines);
  FarMemory far(*m, 32, beyond);
  const auto held = static_cast<unsigned>(m->l2Bytes / lineBytes), lines = 5 * held;
  double last = 0;
  for (unsigned line = 0; line < lines; ++line) last = std::max(last, far.write(0, line, lineBytes));
  const double memory = lineBytes / (m->memoryBytesPerCycle / 8) * m->memoryWriteFactor;
  EXPECT_NEAR(last, (lines - held) * memory, 0.01 * last);
  EXPECT_NEAR(beyond.memoryBytesUntil(last), double(lines - held) * lineBytes, 0.02 * lines * lineBytes);
  EXPECT_LE(beyond.memory.busyUntil(last), last);
  EXPECT_GT(beyond.memory.busy, last);
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
