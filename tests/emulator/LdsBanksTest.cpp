// The table of LDS phases against what was measured, and the cost of known patterns.
#include "compiler/target/LdsBanks.h"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace fly::target;

namespace {

LdsCost strided(const LdsRule &rule, unsigned bytes, unsigned stride, uint64_t active = ~0ull, bool atomic = false) {
  uint64_t addresses[64];
  for (unsigned l = 0; l < 64; ++l) addresses[l] = static_cast<uint64_t>(l) * stride;
  return ldsCost(rule, active, addresses, bytes, atomic);
}

TEST(LdsBanks, TheTableIsWhatWasMeasured) {
  std::ifstream file(FLY_TEST_FACTS "/lds_phases.json");
  auto facts = nlohmann::json::parse(file);
  struct {
    const char *name;
    unsigned bytes;
    bool write;
  } rows[] = {
      {"ds_read_b128", 16, false}, {"ds_read_b96", 12, false}, {"ds_read_b64", 8, false}, {"ds_write_b64", 8, true}};
  for (const auto &row : rows) {
    SCOPED_TRACE(row.name);
    LdsRule rule = ldsRule("gfx950", 64, row.bytes, row.write);
    const auto &fact = facts.at(row.name);
    EXPECT_TRUE(rule.measured);
    EXPECT_EQ(rule.banks, fact.at("banks").get<unsigned>());
    ASSERT_EQ(rule.phaseCount, fact.at("phases").size());
    for (unsigned p = 0; p < rule.phaseCount; ++p) {
      uint64_t mask = 0;
      for (unsigned lane : fact.at("phases")[p]) mask |= 1ull << lane;
      EXPECT_EQ(rule.phases[p], mask);
    }
  }
}

TEST(LdsBanks, PhasesPartTheLanesOfEveryRule) {
  for (const char *arch : {"gfx942", "gfx950", "gfx1201", "gfx1250"})
    for (unsigned waveSize : {32u, 64u})
      for (unsigned bytes = 1; bytes <= 16; ++bytes)
        for (bool write : {false, true}) {
          if (waveSize == 32 && arch[3] == '9') continue;
          LdsRule rule = ldsRule(arch, waveSize, bytes, write);
          uint64_t all = 0;
          for (unsigned p = 0; p < rule.phaseCount; ++p) {
            EXPECT_EQ(all & rule.phases[p], 0u);
            all |= rule.phases[p];
          }
          EXPECT_EQ(all & (waveSize == 64 ? ~0ull : 0xffffffffull), waveSize == 64 ? ~0ull : 0xffffffffull)
              << arch << bytes << write;
        }
}

TEST(LdsBanks, ConsecutiveElementsNeverConflict) {
  for (const char *arch : {"gfx942", "gfx950", "gfx1201", "gfx1250"})
    for (unsigned bytes : {1u, 2u, 4u, 8u, 16u})
      for (bool write : {false, true})
        EXPECT_EQ(strided(ldsRule(arch, 64, bytes, write), bytes, bytes).conflicts(), 0u) << arch << bytes;
}

TEST(LdsBanks, CostOfStrides) {
  LdsRule read = ldsRule("gfx942", 64, 4, false);
  EXPECT_EQ(strided(read, 4, 4).cycles, 2u);
  EXPECT_EQ(strided(read, 4, 8).cycles, 4u);            // two dwords on each of 16 banks, twice
  EXPECT_EQ(strided(read, 4, 128).cycles, 64u);         // all on bank 0
  EXPECT_EQ(strided(read, 4, 132).cycles, 2u);          // one dword of padding
  EXPECT_EQ(strided(read, 4, 0).cycles, 2u);            // everybody reads the same dword
  EXPECT_EQ(strided(read, 4, 0, 0xf).ideal, 1u);        // one phase has active lanes
  EXPECT_EQ(strided(read, 4, 0, 0xf, true).cycles, 4u); // atomics follow one another
  EXPECT_EQ(strided(read, 4, 0, 0).cycles, 0u);
  EXPECT_EQ(strided(ldsRule("gfx1250", 32, 4, false), 4, 8, 0xffffffff).cycles, 1u); // 64 banks
  // Rows of 64 bytes, 16 bytes a lane: on gfx950 16 lanes of a phase share four banks four times.
  EXPECT_EQ(strided(ldsRule("gfx950", 64, 16, false), 16, 64).cycles, 16u);
  EXPECT_EQ(strided(ldsRule("gfx950", 64, 16, false), 16, 80).conflicts(), 0u);
}

} // namespace
