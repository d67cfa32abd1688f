// What `flyc doctor` says of systems that a test cannot be run on.
#include "compiler/doctor/Advice.h"

#include <gtest/gtest.h>

namespace fly::doctor {

namespace {

SystemFacts rightSystem() {
  SystemFacts system;
  system.kernel = "6.1.0";
  system.hasDriver = true;
  system.rocm = "6.2.4";
  system.compute = {"/dev/kfd", true, "render"};
  system.render = {{"/dev/dri/renderD128", true, "render"}};
  return system;
}
HipFacts hipWith(std::string architecture, int version) {
  return {"libamdhip64.so.6", version, {{"Some GPU", std::move(architecture), 304}}, ""};
}
std::string textOf(const Section &section, Level level) {
  std::string text;
  for (const Line &line : section.lines)
    if (line.level == level)
      text += line.what + "\n" + line.advice + "\n";
  return text;
}

TEST(DoctorTest, SaysWhichGroupIsMissing) {
  SystemFacts system = rightSystem();
  EXPECT_EQ(textOf(systemSection(system), Level::Problem), "");
  system.compute->opens = false;
  EXPECT_EQ(textOf(systemSection(system), Level::Problem),
            "/dev/kfd belongs to the group `render`, and you may not open it\n"
            "`sudo usermod -aG render,video $USER`, then log in again: a group counts from the next login on\n");
  system.inContainer = true;
  EXPECT_NE(textOf(systemSection(system), Level::Problem).find("--group-add render"), std::string::npos);
}

TEST(DoctorTest, KnowsHowOldAHipMayBe) {
  EXPECT_EQ(textOf(deviceSection(hipWith("gfx942", 60241134)), Level::Problem), "");
  EXPECT_NE(textOf(deviceSection(hipWith("gfx942", 50731921)), Level::Problem).find("HIP 5.7.31921 is too old"),
            std::string::npos);
  EXPECT_NE(textOf(deviceSection(hipWith("gfx950", 60443482)), Level::Problem).find("gfx950 needs ROCm 7.0"),
            std::string::npos);
  EXPECT_EQ(textOf(deviceSection(hipWith("gfx950", 70051831)), Level::Problem), "");
}

TEST(DoctorTest, NamesArchitecturesOfOthers) {
  const HipFacts hip = hipWith("gfx1100", 60241134);
  EXPECT_EQ(textOf(deviceSection(hip), Level::Note),
            "0: Some GPU, gfx1100, 304 compute units\n"
            "flyc does not compile for gfx1100, but for gfx942, gfx950, gfx1201, gfx1250\n");
  EXPECT_TRUE(usableArchitectures(hip).empty());
  EXPECT_EQ(usableArchitectures(hipWith("gfx1201", 60443482)), std::vector<std::string>{"gfx1201"});
}

TEST(DoctorTest, SaysWhereRocmIs) {
  const HipFacts none{"", 0, {}, "no device to run on"};
  EXPECT_NE(textOf(hipSection(rightSystem(), none), Level::Problem).find("/opt/rocm/lib"), std::string::npos);
  SystemFacts system = rightSystem();
  system.rocm.clear();
  EXPECT_NE(textOf(hipSection(system, none), Level::Problem).find("install ROCm's HIP runtime"), std::string::npos);
}

} // namespace

} // namespace fly::doctor
