// The architecture table: lookups and features.
#include "compiler/target/Target.h"

#include <gtest/gtest.h>

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

TEST(Target, AWaveOfTwiceTheLanesHasHalfOfTheRegisters) {
  EXPECT_EQ(find("gfx1201")->vgprsAt(32, 1536), 1536u);
  EXPECT_EQ(find("gfx1201")->vgprsAt(64, 1536), 768u);
  EXPECT_EQ(find("gfx942")->vgprsAt(64, 512), 512u);
  EXPECT_EQ(find("gfx1250")->vgprsAt(64, 16), 16u); // has no such waves
}

TEST(Target, MachinesAreFoundByELFFlags) {
  EXPECT_EQ(findMachine(0x54c), find("gfx942")); // with xnack and sramecc
  EXPECT_EQ(findMachine(0), nullptr);
}

TEST(Target, EveryRowIsWhole) {
  for (const Target &target : all()) {
    EXPECT_TRUE(target.hasWaveSize(target.waveSize)) << target.name;
    EXPECT_EQ(target.hasWaveSize(32), target.hasFeature("wave32")) << target.name;
    EXPECT_EQ(target.hasWaveSize(64), target.hasFeature("wave64")) << target.name;
    EXPECT_GT(target.descriptorVgprs, 0u) << target.name;
    EXPECT_TRUE(target.ldsReadBanks >= 32 && target.ldsWriteBanks >= 32) << target.name;
    EXPECT_GT(target.maxWorkgroupsPerComputeUnit, 0u) << target.name;
    EXPECT_EQ(target.has("named_barrier"), target.gfx125Descriptor) << target.name;
    EXPECT_EQ(target.has("agpr"), target.agprs > 0) << target.name;
    EXPECT_EQ(target.has("cluster"), target.maxClusterSize > 1) << target.name;
    EXPECT_EQ(target.has("cluster"), target.codeObjectVersion >= 6) << target.name; // .cluster_dims
    EXPECT_EQ(target.ldsPerComputeUnit % target.ldsGranule, 0u) << target.name;
    EXPECT_GE(target.vgprs.perSimd, target.vgprs.addressable) << target.name;
  }
}
