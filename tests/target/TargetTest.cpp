// The architecture table: lookups, features, and occupancy against LLVM's own figure for the same register counts.
#include "compiler/target/Target.h"

#include <gtest/gtest.h>

#include <tuple>

using namespace fly::target;

TEST(Target, FindsEachArchitectureByItsName) {
  for (const Target &target : all())
    EXPECT_EQ(find(target.name), &target);
  EXPECT_EQ(find("gfx900"), nullptr);
  EXPECT_EQ(find(""), nullptr);
  EXPECT_EQ(names(), "gfx942, gfx950, gfx1201, gfx1250");
}

TEST(Target, FeaturesAreOfTheFamily) {
  EXPECT_TRUE(find("gfx942")->has("mfma"));
  EXPECT_TRUE(find("gfx950")->has("mfma_scale"));
  EXPECT_FALSE(find("gfx942")->has("mfma_scale"));
  EXPECT_TRUE(find("gfx1201")->has("wmma"));
  EXPECT_FALSE(find("gfx1201")->has("mfma"));
  EXPECT_TRUE(find("gfx1250")->has("tensor_dma"));
  EXPECT_FALSE(find("gfx1250")->has("no_such_feature"));
}

// Registers and waves as printed by LLVM 22 (`; NumVgprs`, `; Occupancy`) for a kernel of 1024 threads.
TEST(Target, OccupancyByRegistersIsLlvms) {
  const std::tuple<const char *, uint32_t, uint32_t> measured[] = {
      {"gfx942", 21, 8},   {"gfx942", 65, 7},  {"gfx942", 73, 6},   {"gfx942", 97, 4},   {"gfx942", 129, 3},
      {"gfx942", 169, 2},  {"gfx942", 251, 2}, {"gfx950", 65, 7},   {"gfx950", 129, 3},  {"gfx1201", 73, 16},
      {"gfx1201", 97, 12}, {"gfx1201", 129, 10}, {"gfx1201", 169, 8}, {"gfx1201", 251, 5}, {"gfx1250", 129, 7},
      {"gfx1250", 169, 5}, {"gfx1250", 251, 4}};
  for (auto [arch, vgprs, waves] : measured)
    EXPECT_EQ(find(arch)->occupancy({.vgprs = vgprs}), waves) << arch << " with " << vgprs << " VGPRs";
}

TEST(Target, LdsLimitsWholeWorkgroups) {
  const Target &target = *find("gfx942"); // 64 KiB a compute unit, four SIMDs
  EXPECT_EQ(target.occupancy({.vgprs = 32, .ldsBytes = 32768, .workgroupSize = 256}), 2u);
  EXPECT_EQ(target.occupancy({.vgprs = 32, .ldsBytes = 65536, .workgroupSize = 256}), 1u);
  EXPECT_EQ(target.occupancy({.vgprs = 32, .ldsBytes = 65537, .workgroupSize = 256}), 0u);
  EXPECT_EQ(find("gfx950")->occupancy({.vgprs = 32, .ldsBytes = 81920, .workgroupSize = 256}), 2u);
}

TEST(Target, AccumulationRegistersShareTheFile) {
  const Target &target = *find("gfx942");
  EXPECT_EQ(target.occupancy({.vgprs = 126, .agprs = 128}), 2u);
  EXPECT_EQ(target.occupancy({.vgprs = 130, .agprs = 128}), 1u);
  EXPECT_EQ(find("gfx1201")->occupancy({.vgprs = 32, .agprs = 1}), 0u);
}
