// Occupancy agrees with what clang 22 reports (-Rpass-analysis=kernel-resource-usage) for the same resources.
#include "tests/isa/TestSupport.h"

namespace fly::isa::test {

struct OccupancyCase {
  const char *architecture;
  uint32_t vgprs, sgprs, lds, workgroup, wave, expected;
};

TEST(Occupancy, AgreesWithClang) {
  const OccupancyCase cases[] = {
      {"gfx942", 64, 6, 0, 256, 64, 8},      {"gfx942", 65, 6, 0, 256, 64, 7},
      {"gfx942", 129, 6, 0, 256, 64, 3},     {"gfx942", 256, 6, 0, 256, 64, 2},
      {"gfx942", 320, 6, 0, 256, 64, 1},     {"gfx942", 8, 101, 0, 256, 64, 7},
      {"gfx942", 8, 6, 4096, 64, 64, 4},     {"gfx942", 8, 6, 10000, 100, 64, 3},
      {"gfx942", 8, 6, 20000, 512, 64, 6},   {"gfx942", 8, 6, 65536, 64, 64, 1},
      {"gfx942", 8, 6, 65536, 1024, 64, 4},  {"gfx950", 8, 6, 24000, 256, 64, 6},
      {"gfx950", 8, 6, 163840, 1024, 64, 4}, {"gfx1201", 96, 6, 0, 256, 32, 16},
      {"gfx1201", 128, 6, 0, 256, 32, 10},   {"gfx1201", 192, 6, 0, 256, 32, 8},
      {"gfx1201", 256, 6, 0, 256, 32, 5},    {"gfx1201", 8, 6, 40000, 256, 32, 6},
      {"gfx1201", 8, 6, 16384, 32, 32, 2},   {"gfx1250", 128, 6, 0, 256, 32, 8},
      {"gfx1250", 192, 6, 0, 256, 32, 5},    {"gfx1250", 8, 6, 4096, 64, 32, 8},
      {"gfx1250", 8, 6, 65536, 256, 32, 10},
  };
  for (const OccupancyCase &c : cases)
    EXPECT_EQ(occupancy(c.architecture, c.vgprs, c.sgprs, c.lds, c.workgroup, c.wave).waves, c.expected)
        << c.architecture << " vgprs " << c.vgprs << " sgprs " << c.sgprs << " LDS " << c.lds << " workgroup "
        << c.workgroup;
}

TEST(Occupancy, IsZeroForWhatCannotRun) {
  EXPECT_EQ(occupancy("gfx942", 600, 6, 0, 256, 64).waves, 0u);
  EXPECT_EQ(occupancy("gfx942", 8, 6, 70000, 256, 64).waves, 0u);
  EXPECT_EQ(occupancy("gfx000", 8, 6, 0, 256, 64).waves, 0u);
}

} // namespace fly::isa::test
