// Races on LDS are found in every order of waves, and only they are.
#include "tests/emulator/TestSupport.h"

#include <array>
#include <optional>

using namespace fly::emulator;
using namespace fly::emulator::test;

namespace {

template <class... T> LaunchResult launch(Machine &m, const char *kernel, WaveOrder order, T... values) {
  LaunchConfig c = shape(1, 128);
  c.checks.races = CheckMode::Error;
  c.order = order;
  uint64_t out = m.device.allocate(128 * 4, "out");
  LaunchResult r = m.device.launch(*m.module, kernel, c, arguments(out, values...));
  m.device.free(out);
  return r;
}

/// Whether the launch races, the same in each order of waves.
template <class... T> bool races(Machine &m, const char *kernel, T... values) {
  LaunchResult first = launch(m, kernel, WaveOrder::Ascending, values...);
  EXPECT_TRUE(first.ok || first.report.kind == FaultKind::Race) << first.report.text();
  for (WaveOrder order : {WaveOrder::Descending, WaveOrder::Seeded}) {
    LaunchResult other = launch(m, kernel, order, values...);
    EXPECT_EQ(other.report.kind, first.report.kind) << kernel << "\n" << other.report.text();
  }
  return !first.ok;
}

template <class F> void onEach(F body) {
  for (const char *arch : architectures) {
    SCOPED_TRACE(arch);
    Machine m("races", arch, "O2");
    ASSERT_TRUE(m.module) << m.error;
    body(m);
  }
}

TEST(RaceCheck, SeesAMissingBarrierBetweenWriteAndRead) {
  onEach([](Machine &m) {
    EXPECT_TRUE(races(m, "exchange", int32_t(0)));
    EXPECT_FALSE(races(m, "exchange", int32_t(1)));
  });
}
TEST(RaceCheck, SeesAMissingBarrierBetweenReadAndWrite) {
  onEach([](Machine &m) {
    EXPECT_TRUE(races(m, "write_after_read", int32_t(0)));
    EXPECT_FALSE(races(m, "write_after_read", int32_t(1)));
  });
}
TEST(RaceCheck, SeesTwoWavesWriteTheSameBytes) {
  onEach([](Machine &m) { EXPECT_TRUE(races(m, "both_write")); });
}
TEST(RaceCheck, FollowsWideAccessesByteByByte) {
  onEach([](Machine &m) {
    for (int32_t at : {0, 3, 4, 13, 15}) EXPECT_TRUE(races(m, "wide", at)) << at;
    for (int32_t at : {16, 17, 100}) EXPECT_FALSE(races(m, "wide", at)) << at;
  });
}
TEST(RaceCheck, FollowsPairedAccessesByteByByte) {
  onEach([](Machine &m) {
    for (int32_t at : {0, 3, 256, 259}) EXPECT_TRUE(races(m, "paired", at)) << at;
    for (int32_t at : {4, 255, 260}) EXPECT_FALSE(races(m, "paired", at)) << at;
  });
}
// LLVM 22's barrier waits for stores to global memory on gfx12 (its pull requests 160501 and 161638) and not on gfx9.
TEST(RaceCheck, AReleaseAfterABarrierDoesNotCoverStoresOfOtherWaves) {
  onEach([](Machine &m) {
    const bool gfx9 = m.device.architecture().name.starts_with("gfx9");
    EXPECT_EQ(races(m, "publish", int32_t(0)), gfx9);
    EXPECT_FALSE(races(m, "publish", int32_t(1)));
    EXPECT_FALSE(races(m, "publish_own"));
    LaunchConfig c = shape(1, 192);
    c.checks.races = CheckMode::Error;
    c.checks.releases = CheckMode::Warn;
    const LaunchResult r = m.device.launch(*m.module, "publish", c, arguments(m.device.allocate(192 * 4, "out"), 0));
    EXPECT_TRUE(r.ok) << r.report.text();
    EXPECT_EQ(r.findings.empty(), !gfx9);
    for (auto &[place, finding] : r.findings)
      EXPECT_NE(finding.report.what.find("may still be under way at this release of wave 0"), std::string::npos)
          << finding.report.what;
  });
}
TEST(RaceCheck, AtomicsOrderWhatLiesBeforeAndBehindThem) {
  onEach([](Machine &m) { EXPECT_FALSE(races(m, "counter")); });
}

/// What a launch of 128 or 192 work-items ends with, in every order of the waves; `notes` gets the places of equal
/// stores.
template <class... T> FaultKind faultOf(Machine &m, const char *kernel, size_t *notes, T... values) {
  std::optional<FaultKind> fault;
  for (WaveOrder order : {WaveOrder::Ascending, WaveOrder::Descending, WaveOrder::Seeded, WaveOrder::Interleaved}) {
    LaunchConfig c = shape(1, 192);
    c.checks.races = CheckMode::Error;
    c.order = order;
    uint64_t out = m.device.allocate(192 * 4, "out");
    LaunchResult r = m.device.launch(*m.module, kernel, c, arguments(out, values...));
    m.device.free(out);
    EXPECT_EQ(fault.value_or(r.report.kind), r.report.kind) << kernel << ", order " << int(order) << "\n"
                                                            << r.report.text();
    fault = r.report.kind;
    for (auto &[place, finding] : r.findings) EXPECT_TRUE(finding.isNote()) << finding.text();
    if (notes) *notes = r.findings.size();
  }
  return *fault;
}

TEST(RaceCheck, EqualStoresAreANote) {
  onEach([](Machine &m) {
    size_t notes = 0;
    EXPECT_EQ(faultOf(m, "same_place", &notes, 0u, 5u, 5u, 5u), FaultKind::None);
    EXPECT_GT(notes, 0u);
    EXPECT_EQ(faultOf(m, "same_place", &notes, 5u, 5u, 5u, 5u), FaultKind::None);
    EXPECT_GT(notes, 0u);
  });
}
TEST(RaceCheck, AThirdStoreOfAnotherValueIsARaceInEveryOrder) {
  onEach([](Machine &m) {
    for (auto [a, b, c] : {std::array{5u, 5u, 6u}, {5u, 6u, 5u}, {6u, 5u, 5u}})
      EXPECT_EQ(faultOf(m, "same_place", nullptr, 0u, a, b, c), FaultKind::Race) << a << b << c;
  });
}
TEST(RaceCheck, AStoreOfTheSameWaveAfterEqualOnesIsARaceInEveryOrder) {
  onEach([](Machine &m) {
    // Both store 6, then one of them 5: in the end there are equal values, but in between there were not.
    EXPECT_EQ(faultOf(m, "same_place", nullptr, 6u, 5u, 6u, 6u), FaultKind::Race);
    EXPECT_EQ(faultOf(m, "same_place", nullptr, 6u, 5u, 5u, 5u), FaultKind::Race);
  });
}
TEST(RaceCheck, OverlappingStoresRaceInTheBytesThatDiffer) {
  onEach([](Machine &m) {
    EXPECT_EQ(faultOf(m, "overlapping", nullptr, 0x22221111u, 0x33332222u, int32_t(2)), FaultKind::None);
    EXPECT_EQ(faultOf(m, "overlapping", nullptr, 0x22221111u, 0x33332223u, int32_t(2)), FaultKind::Race);
    EXPECT_EQ(faultOf(m, "overlapping", nullptr, 0x22221111u, 0x33332322u, int32_t(2)), FaultKind::Race);
    EXPECT_EQ(faultOf(m, "overlapping", nullptr, 0x22221111u, 0x33332322u, int32_t(3)), FaultKind::None);
    EXPECT_EQ(faultOf(m, "overlapping", nullptr, 0x22221111u, 0x33332322u, int32_t(4)), FaultKind::None);
  });
}
TEST(RaceCheck, LoadsRaceWithEqualStores) {
  onEach([](Machine &m) {
    EXPECT_EQ(faultOf(m, "load_of_equal", nullptr, int32_t(0)), FaultKind::Race);
    EXPECT_EQ(faultOf(m, "load_of_equal", nullptr, int32_t(1)), FaultKind::None);
  });
}
TEST(RaceCheck, AtomicsAreNotEqualToStores) {
  onEach([](Machine &m) { EXPECT_EQ(faultOf(m, "atomic_and_store", nullptr), FaultKind::Race); });
}
TEST(RaceCheck, SeesTheValueOfEachKindOfStore) {
  onEach([](Machine &m) {
    size_t notes = 0;
    EXPECT_EQ(faultOf(m, "equal_kinds", &notes, 0u, 0u, 0u), FaultKind::None);
    EXPECT_GE(notes, 6u) << "u8, u16, u32x4, the pair, two high halves";
    EXPECT_EQ(faultOf(m, "equal_kinds", nullptr, 1u, 0u, 0u), FaultKind::Race);
    EXPECT_EQ(faultOf(m, "equal_kinds", nullptr, 0u, 1u, 0u), FaultKind::None) << "low halves are not stored";
    EXPECT_EQ(faultOf(m, "equal_kinds", nullptr, 0u, 0u, 1u), FaultKind::Race);
  });
}

enum Handing : int32_t { Waited, NotWaited, WrittenAfterTheArrival, WrongPhase };
TEST(RaceCheck, BarriersInLdsOrderArrivalsAndWhoSeesThePhaseTurn) {
  Machine m("barrier_races", "gfx1250", "O2");
  ASSERT_TRUE(m.module) << m.error;
  for (const char *kernel : {"handed_over", "handed_over_async"}) {
    EXPECT_FALSE(races(m, kernel, Waited)) << kernel;
    EXPECT_TRUE(races(m, kernel, NotWaited)) << kernel;
    EXPECT_TRUE(races(m, kernel, WrittenAfterTheArrival)) << kernel;
    EXPECT_TRUE(races(m, kernel, WrongPhase)) << kernel << ": the barrier has been read, but its phase was not over";
  }
}
TEST(RaceCheck, BarriersInLdsOrderTheRoundsOfAPipeline) {
  Machine m("barrier_races", "gfx1250", "O2");
  ASSERT_TRUE(m.module) << m.error;
  EXPECT_FALSE(races(m, "pipeline", int32_t(1)));
  EXPECT_TRUE(races(m, "pipeline", int32_t(0))) << "the producer does not wait until its buffer is read";
}

TEST(RaceCheck, NamesBothInstructionsAndLines) {
  Machine m("races", "gfx950", "O2");
  ASSERT_TRUE(m.module) << m.error;
  LaunchResult r = launch(m, "exchange", WaveOrder::Ascending, int32_t(0));
  EXPECT_NE(r.report.text().find("race on LDS: wave 1 "), std::string::npos) << r.report.text();
  EXPECT_NE(r.report.text().find("races.c:12"), std::string::npos) << r.report.text();
  EXPECT_NE(r.report.text().find("races.c:14"), std::string::npos) << r.report.text();
}

} // namespace
