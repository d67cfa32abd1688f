// Scalar registers in lanes of a vector register that holds nothing else.
#include "compiler/isa/LaneSpills.h"

#include "tests/isa/TestSupport.h"

#include <numeric>

namespace fly::isa::test {

namespace {

std::pair<unsigned, unsigned> spillsOf(const std::string &text, const char *architecture = "gfx942") {
  auto encoder = Encoder::create(architecture);
  auto decoder = Decoder::create(architecture);
  auto parts = (*encoder)->assemble(text);
  EXPECT_TRUE(bool(parts)) << errorOf(parts);
  Encoding code;
  for (const Encoding &part : *parts)
    code.insert(code.end(), part.begin(), part.end());
  auto list = (*decoder)->decodeKernel(code, 0x1000);
  EXPECT_TRUE(bool(list));
  const LaneSpills spills = laneSpills(*list);
  const std::vector<bool> moves = movesOfLaneSpills(*list);
  EXPECT_EQ(std::accumulate(moves.begin(), moves.end(), 0u), spills.moves);
  return {spills.registers, spills.moves};
}

using Spills = std::pair<unsigned, unsigned>;

} // namespace

TEST(LaneSpills, RegistersAndMoves) {
  const std::string write = "v_writelane_b32 v40, s12, 3\n", read = "v_readlane_b32 s20, v40, 3\n";
  for (const char *arch : {"gfx942", "gfx950", "gfx1201", "gfx1250"})
    EXPECT_EQ(spillsOf(write + read + read + "s_endpgm\n", arch), (Spills{1, 3}));
  EXPECT_EQ(spillsOf(write + "v_writelane_b32 v40, s13, 4\n" + read + "v_readlane_b32 s21, v40, 4\ns_endpgm\n"),
            (Spills{2, 4}));
}

TEST(LaneSpills, OnlyWrittenOrOnlyRead) {
  EXPECT_EQ(spillsOf("v_writelane_b32 v40, s12, 3\nv_readlane_b32 s20, v40, 5\ns_endpgm\n"), (Spills{0, 0}));
  EXPECT_EQ(spillsOf("v_readlane_b32 s20, v40, 5\ns_endpgm\n"), (Spills{0, 0}));
}

TEST(LaneSpills, NotOfValuesThatVectorsUse) {
  EXPECT_EQ(spillsOf("v_writelane_b32 v40, s12, 3\nv_add_f32_e32 v1, v40, v2\nv_readlane_b32 s20, v40, 3\ns_endpgm\n"),
            (Spills{0, 0}));
  EXPECT_EQ(spillsOf("v_writelane_b32 v40, 1, s3\nv_readlane_b32 s20, v40, s3\ns_endpgm\n"), (Spills{0, 0}))
      << "lanes that are not constant";
}

TEST(LaneSpills, SavedAsAWhole) {
  EXPECT_EQ(spillsOf("v_writelane_b32 v40, s12, 3\nv_accvgpr_write_b32 a0, v40\nv_accvgpr_read_b32 v40, a0\n"
                     "v_readlane_b32 s20, v40, 3\ns_endpgm\n"),
            (Spills{1, 2}));
}

} // namespace fly::isa::test
