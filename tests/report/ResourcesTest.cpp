// What limits the occupancy, and that what the next step asks for is enough and no more than needed.
#include "compiler/report/Resources.h"
#include "compiler/target/Target.h"
#include "tests/report/TestSupport.h"

#include <random>

namespace fly::report::test {

namespace {
Resources use(uint32_t registers, uint32_t sgprs, uint32_t lds, uint32_t group, uint32_t wave) {
  Resources r;
  r.vgprs = r.vectorRegisters = registers;
  r.sgprs = sgprs;
  r.ldsBytes = lds;
  r.maxWorkgroupSize = group;
  r.waveSize = wave;
  return r;
}
using Names = std::vector<std::string>;
} // namespace

TEST(Resources, LimitedByVectorRegisters) {
  auto o = explainOccupancy("gfx942", use(108, 30, 0, 256, 64));
  EXPECT_EQ(o.occupancy.waves, 4u);
  EXPECT_EQ(o.limitedBy, (Names{"vector_registers"}));
  EXPECT_EQ(o.occupancy.vgprsAllocated, 112u);
  EXPECT_EQ(o.occupancy.vgprsOfSimd, 512u);
  ASSERT_EQ(o.nextWaves, 5u);
  ASSERT_EQ(o.needs.size(), 1u);
  EXPECT_EQ(o.needs[0].atMost, 96u); // 512 / 5 in granules of 8
}

TEST(Resources, LimitedByLdsInWholeWorkgroups) {
  auto o = explainOccupancy("gfx942", use(20, 30, 40000, 512, 64)); // one workgroup of 8 waves on 4 SIMDs
  EXPECT_EQ(o.occupancy.waves, 2u);
  EXPECT_EQ(o.limitedBy, (Names{"lds_bytes"}));
  EXPECT_EQ(o.nextWaves, 4u);
  ASSERT_EQ(o.needs.size(), 1u);
  EXPECT_EQ(o.needs[0].atMost, 32768u);
}

TEST(Resources, LimitedByTwo) {
  auto o = explainOccupancy("gfx942", use(129, 30, 21000, 256, 64));
  EXPECT_EQ(o.occupancy.waves, 3u);
  EXPECT_EQ(o.limitedBy, (Names{"vector_registers", "lds_bytes"}));
  EXPECT_EQ(o.nextWaves, 4u);
  EXPECT_EQ(o.needs.size(), 2u);
}

TEST(Resources, LimitedByNothingThatCouldBeFreed) {
  auto full = explainOccupancy("gfx1201", use(96, 30, 0, 256, 32));
  EXPECT_EQ(full.limitedBy, (Names{"wave_slots"}));
  EXPECT_EQ(full.nextWaves, 0u);
  auto small = explainOccupancy("gfx1250", use(20, 30, 0, 64, 32)); // 16 workgroups of 2 waves on 4 SIMDs
  EXPECT_EQ(small.limitedBy, (Names{"workgroup_size"}));
  EXPECT_EQ(small.nextWaves, 0u);
}

TEST(Resources, TheNextStepIsEnoughAndNeeded) {
  std::mt19937 random(6);
  for (auto [arch, wave, most] :
       {std::tuple{"gfx942", 64u, 512u}, std::tuple{"gfx950", 64u, 512u}, std::tuple{"gfx1201", 32u, 256u},
        std::tuple{"gfx1201", 64u, 256u}, std::tuple{"gfx1250", 32u, 1024u}})
    for (unsigned round = 0; round < 200; ++round) {
      Resources r =
          use(1 + random() % most, random() % 103, random() % 3 ? random() % 65537 : 0, 1 + random() % 1024, wave);
      auto o = explainOccupancy(arch, r);
      ASSERT_FALSE(o.limitedBy.empty());
      if (!o.nextWaves)
        continue;
      ASSERT_GT(o.nextWaves, o.occupancy.waves);
      auto with = [&, arch = arch](const std::string &one) { // all needs met, but `one` by one too little
        Resources changed = r;
        for (const Need &need : o.needs)
          (need.resource == "sgprs"       ? changed.sgprs
           : need.resource == "lds_bytes" ? changed.ldsBytes
                                          : changed.vectorRegisters) =
              need.atMost + (need.resource != one ? 0
                             : one == "lds_bytes" ? target::find(arch)->ldsGranule
                                                  : 1);
        return explainOccupancy(arch, changed).occupancy.waves;
      };
      EXPECT_EQ(with(""), o.nextWaves);
      for (const Need &need : o.needs)
        EXPECT_LT(with(need.resource), o.nextWaves)
            << arch << " " << need.resource << " " << need.now << " to " << need.atMost;
    }
}

TEST(Resources, OfMetadataAndDescriptorAgree) {
  for (const std::string &path : codeObjectPaths()) {
    std::string bytes = readFile(path);
    auto object = isa::CodeObject::read(bytes);
    ASSERT_TRUE(bool(object)) << errorOf(object);
    for (const isa::Kernel &kernel : object->kernels()) {
      Resources known = resourcesOf(*object, kernel);
      EXPECT_TRUE(known.fromMetadata);
      isa::Kernel bare = kernel; // as if the note were not there
      bare.hasMetadata = false;
      bare.agprs = 0;
      Resources read = resourcesOf(*object, bare);
      // The descriptor has what is allocated: not less, and by less than two granules more.
      EXPECT_GE(read.vectorRegisters, known.vectorRegisters) << path << " " << kernel.name;
      EXPECT_LE(read.vectorRegisters, known.vectorRegisters + 24) << path << " " << kernel.name;
    }
  }
}

} // namespace fly::report::test
