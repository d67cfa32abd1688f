// The architecture table: lookups and features, and what its columns make of a wait.
#include "compiler/target/CachePolicies.h"
#include "compiler/target/Waitcnt.h"

#include <gtest/gtest.h>

#include <bit>

using namespace fly::target;

TEST(Target, FindsEachArchitectureByItsName) {
  for (const Target &target : all())
    EXPECT_EQ(find(target.name), &target);
  EXPECT_EQ(find("gfx900"), nullptr);
  EXPECT_EQ(find(""), nullptr);
  EXPECT_TRUE(names().starts_with("gfx942, gfx950"));
}

/// As LLVM's assembler writes vmcnt(3), vmcnt(35), expcnt(2) and lgkmcnt(5).
TEST(Target, WaitsAreEncodedByGeneration) {
  struct {
    const char *target;
    uint32_t three, thirtyFive, expTwo, lgkmFive;
  } rows[] = {{"gfx942", 0x0f73, 0x8f73, 0xcf2f, 0xc57f},
              {"gfx1030", 0x3f73, 0xbf73, 0xff2f, 0xc57f},
              {"gfx1100", 0x0ff7, 0x8ff7, 0xfff2, 0xfc57}};
  for (const auto &row : rows) {
    const Generation &of = findReadable(row.target)->generation;
    auto encoded = [&](uint32_t Waitcnt::*counter, uint32_t count) {
      Waitcnt wait(of);
      wait.*counter = count;
      const uint32_t bits = wait.encode(of);
      EXPECT_EQ(Waitcnt(of, bits).*counter, count) << row.target;
      return bits;
    };
    EXPECT_EQ(encoded(&Waitcnt::vmcnt, 3), row.three) << row.target;
    EXPECT_EQ(encoded(&Waitcnt::vmcnt, 35), row.thirtyFive) << row.target;
    EXPECT_EQ(encoded(&Waitcnt::expcnt, 2), row.expTwo) << row.target;
    EXPECT_EQ(encoded(&Waitcnt::lgkmcnt, 5), row.lgkmFive) << row.target;
  }
  EXPECT_EQ(counterCapacity(Counter::Lgkm, find("gfx942")->generation), 15);
  EXPECT_EQ(counterCapacity(Counter::Lgkm, findReadable("gfx1030")->generation), 63);
  EXPECT_EQ(counterCapacity(Counter::Vm, findReadable("gfx803")->generation), 15);
}

/// As LLVM compiles nontemporal accesses and relaxed atomic loads.
TEST(Target, CachePoliciesFollowTheFields) {
  auto bits = [](const char *name, MemoryAccess access, CacheScope scope) {
    return scopeBits(*findReadable(name), access, scope);
  };
  EXPECT_EQ(bits("gfx1100", MemoryAccess::Load, CacheScope::Agent), 1u);
  EXPECT_EQ(bits("gfx1100", MemoryAccess::Store, CacheScope::System), 0u);
  EXPECT_EQ(bits("gfx942", MemoryAccess::Store, CacheScope::System), 17u);
  EXPECT_EQ(bits("gfx1201", MemoryAccess::Load, CacheScope::Workgroup), 8u);
  EXPECT_EQ(bits("gfx1250", MemoryAccess::Load, CacheScope::Workgroup), 0u);
  EXPECT_EQ(cacheHints(*findReadable("gfx1100")).front().bits(MemoryAccess::Load), 6);
  EXPECT_EQ(cacheHints(*findReadable("gfx1100")).front().bits(MemoryAccess::Store), 7);
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
    EXPECT_EQ(target.has("split_wait_counters"), target.generation.splitCounters) << target.name;
    EXPECT_EQ(target.has("th_scope"), target.generation.hintAndScope) << target.name;
    EXPECT_EQ(target.cacheFields >= CacheFields::HintScope, target.generation.hintAndScope) << target.name;
  }
  for (std::span<const Target> rows : {all(), readable()})
    for (const Target &target : rows) {
      const Generation &of = target.generation;
      EXPECT_FALSE(of.opcodeMarks.empty() || of.waitSection.empty()) << target.name;
      EXPECT_FALSE(of.splitCounters && of.storeCounter) << target.name;
      EXPECT_EQ(of.splitCounters, of.vmcnt.bits == 0) << target.name;
      EXPECT_EQ(of.splitCounters, of.lgkmcnt.bits == 0) << target.name;
      EXPECT_EQ(of.expcnt.largest(), 7) << target.name;
      EXPECT_GT(of.nopStates, 0) << target.name;
      EXPECT_TRUE(std::has_single_bit(of.codeLine) && of.codeLine >= 64) << target.name;
      EXPECT_TRUE(of.codePadding >= of.codeLine && of.codeEnd) << target.name;
    }
}
