// The text and the JSON of reports, from structures that no kernel has run for.
#include "runtime/emulator/device/Checks.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fly::emulator::test {

namespace {

/// An access of one lane, with everything that a fault may have.
FaultReport access() {
  FaultReport report;
  report.kind = FaultKind::OutOfBounds;
  report.kernel = "vec_add";
  report.arch = "gfx942";
  report.what = "read of 4 bytes outside of any allocation";
  report.instruction = {"global_load_dword v2, v[2:3], off", 0x1000, "vec_add.fly", 12};
  report.place = {{3, 0, 0}, 1, 17, {81, 0, 0}};
  report.address = {0x8400, "0 bytes past the end of `a` (4096 bytes at 0x7400)"};
  return report;
}

} // namespace

TEST(FaultReport, AFaultOfOneLane) {
  EXPECT_EQ(access().text(), "kernel `vec_add` on gfx942: read of 4 bytes outside of any allocation\n"
                             "  instruction: global_load_dword v2, v[2:3], off   (at 0x1000)\n"
                             "  source: vec_add.fly:12\n"
                             "  workgroup (3, 0, 0), wave 1, lane 17, work-item (81, 0, 0)\n"
                             "  address 0x8400: 0 bytes past the end of `a` (4096 bytes at 0x7400)\n");
}

TEST(FaultReport, WhatIsNotKnownHasNoLine) {
  FaultReport report = access();
  report.instruction->file.clear();
  report.place->lane = -1;
  report.address->where.clear();
  EXPECT_EQ(report.details(),
            (std::vector<std::string>{"  instruction: global_load_dword v2, v[2:3], off   (at 0x1000)",
                                      "  workgroup (3, 0, 0), wave 1", "  address 0x8400"}));
  report.instruction.reset();
  report.place.reset();
  report.address.reset();
  EXPECT_TRUE(report.details().empty());
}

TEST(FaultReport, ARefusedLaunchIsOneSentence) {
  FaultReport report;
  report.kind = FaultKind::BadLaunch;
  report.what = "cannot launch kernel `x`: a dimension of grid or block is 0";
  EXPECT_EQ(report.text(), report.what);
  report.notes.push_back("`expect_fault` waits for a fault of `race`");
  EXPECT_EQ(report.text(), report.what + "\n  `expect_fault` waits for a fault of `race`\n");
}

TEST(FaultReport, TheOtherInstructionIsCalledByTheKind) {
  const std::pair<FaultKind, std::string> cases[] = {{FaultKind::MissingWait, "not waited for"},
                                                     {FaultKind::Hazard, "earlier instruction"},
                                                     {FaultKind::UninitialisedRead, "first read by"},
                                                     {FaultKind::Race, "other access"},
                                                     {FaultKind::EqualStores, "other access"}};
  for (const auto &[kind, name] : cases) {
    FaultReport report;
    report.kind = kind;
    report.other = {"ds_write_b32 v0, v1", 0x20, "a.fly", 7};
    EXPECT_EQ(report.details(), std::vector<std::string>{"  " + name + ": ds_write_b32 v0, v1   (at 0x20), a.fly:7"})
        << nameOf(kind);
  }
}

TEST(FaultReport, NotesComeLast) {
  FaultReport report = access();
  report.notes = {"`--limit N` sets another limit", "twice"};
  const std::string text = report.text();
  EXPECT_EQ(text.substr(text.find("  `--limit")), "  `--limit N` sets another limit\n  twice\n");
}

TEST(FaultReport, WavesThatWait) {
  FaultReport report;
  report.kind = FaultKind::Deadlock;
  report.kernel = "k";
  report.arch = "gfx1250";
  report.what = "deadlock: no wave of the cluster can continue";
  ReportedGroup &group = report.groups.emplace_back();
  group.workgroup = {1, 2, 0};
  group.arrived = {1, 2};
  ReportedWaves::State waits{.doing = ReportedWaves::Doing::Waits,
                             .at = {"s_barrier_wait -1", 0x40, "x.fly", 7},
                             .barrier = "workgroup barrier: 1 of 2 waves have signalled",
                             .hasSignalled = false};
  group.waves.push_back({.first = 0, .last = 0, .workgroup = GridIndex{1, 2, 0}, .state = waits});
  group.waves.push_back({.first = 1, .last = 3});
  EXPECT_EQ(report.text(), "kernel `k` on gfx1250: deadlock: no wave of the cluster can continue\n"
                           "  workgroup (1, 2, 0), 1 of 2 waves have arrived at the barrier\n"
                           "  workgroup (1, 2, 0), wave 0: waits at s_barrier_wait -1   (at 0x40), x.fly:7, for the "
                           "workgroup barrier: 1 of 2 waves have signalled, without having signalled\n"
                           "  waves 1 to 3: ended\n");
}

TEST(FaultReport, WavesThatPollAndKernelsOfOtherDevices) {
  FaultReport report;
  report.kind = FaultKind::Deadlock;
  report.kernel = "k";
  report.arch = "gfx942";
  report.what = "deadlock";
  ReportedGroup &group = report.groups.emplace_back();
  ReportedWaves &waves = group.waves.emplace_back();
  waves.state.doing = ReportedWaves::Doing::Loops;
  waves.state.at = {"s_cbranch_vccnz 0", 0x40, "x.fly", 7};
  waves.state.sleeps = true;
  waves.state.polls = {{4, false, 0x5000, "inside `flag` (4 bytes at 0x5000)", 9, "x.fly:7"},
                       {8, true, 16, "", 0, "x.fly:8"}};
  report.moreGroups = 3;
  FaultReport other = report;
  other.kernel = "l";
  other.groups.front().waves.front().state = {};
  other.moreGroups = 0;
  report.others.push_back(other);
  EXPECT_EQ(report.text(), "kernel `k` on gfx942: deadlock\n"
                           "  workgroup (0, 0, 0)\n"
                           "  wave 0: loops at s_cbranch_vccnz 0   (at 0x40), x.fly:7, and sleeps\n"
                           "      polls 4 bytes at 0x5000, inside `flag` (4 bytes at 0x5000), now 9\n"
                           "      polls 8 bytes at offset 16 of LDS, now 0, x.fly:8\n"
                           "  and 3 more workgroups\n"
                           "kernel `l` on gfx942: deadlock\n"
                           "  workgroup (0, 0, 0)\n"
                           "  wave 0: ended\n");
}

TEST(FaultReport, JsonHasTheFieldsThatAreSet) {
  FaultReport report = access();
  report.notes = {"a note"};
  EXPECT_EQ(report.json(), R"j({"kind":"OutOfBounds","kernel":"vec_add","arch":"gfx942",)j"
                           R"j("what":"read of 4 bytes outside of any allocation",)j"
                           R"j("instruction":{"text":"global_load_dword v2, v[2:3], off","address":4096,)j"
                           R"j("file":"vec_add.fly","line":12},)j"
                           R"j("place":{"workgroup":[3,0,0],"wave":1,"lane":17,"work_item":[81,0,0]},)j"
                           R"j("address":33792,"memory":"0 bytes past the end of `a` (4096 bytes at 0x7400)",)j"
                           R"j("notes":["a note"]})j");
  FaultReport refused;
  refused.kind = FaultKind::BadLaunch;
  refused.what = "no\n\xff"; // not UTF-8
  EXPECT_EQ(refused.json(), "{\"kind\":\"BadLaunch\",\"what\":\"no\\n\xef\xbf\xbd\"}");
}

TEST(FaultReport, JsonOfWaves) {
  FaultReport report;
  report.kind = FaultKind::Runaway;
  ReportedGroup &group = report.groups.emplace_back();
  group.arrived = {1, 4};
  ReportedWaves &waves = group.waves.emplace_back();
  waves.last = 2;
  waves.state.doing = ReportedWaves::Doing::Waits;
  waves.state.at = {"s_barrier", 8, {}, 0};
  waves.state.hasSignalled = false;
  waves.state.polls = {{4, true, 16, "", 3, ""}};
  const auto json = nlohmann::json::parse(report.json());
  const auto &one = json["workgroups"][0];
  EXPECT_EQ(one["arrived"], 1);
  EXPECT_EQ(one["expected"], 4);
  EXPECT_EQ(one["waves"][0]["doing"], "waits");
  EXPECT_EQ(one["waves"][0]["last"], 2);
  EXPECT_EQ(one["waves"][0]["signalled"], false);
  EXPECT_EQ(one["waves"][0]["instruction"]["text"], "s_barrier");
  EXPECT_EQ(one["waves"][0]["polls"][0]["lds_offset"], 16);
  EXPECT_FALSE(json.contains("kernel"));
}

TEST(FaultReport, FindingsTellHowOftenAndWhereFirst) {
  Finding finding;
  finding.kind = FaultKind::OutOfBounds;
  finding.report = access();
  finding.count = 1;
  finding.unit = 5;
  EXPECT_NE(finding.text().find("\n  once, in workgroup (3, 0, 0), wave 1, lane 17"), std::string::npos);
  finding.count = 12;
  EXPECT_NE(finding.text().find("\n  12 times, first in workgroup (3, 0, 0), wave 1"), std::string::npos);
  FaultReport earlier = access(), later = access();
  earlier.place->workgroup = {2, 0, 0};
  later.place->workgroup = {9, 0, 0};
  finding.keepFirst(6, later);
  EXPECT_EQ(finding.report.place->workgroup, (GridIndex{3, 0, 0}));
  finding.keepFirst(4, earlier);
  EXPECT_EQ(finding.report.place->workgroup, (GridIndex{2, 0, 0}));
  EXPECT_EQ(finding.unit, 4u);
}

} // namespace fly::emulator::test
