// The instruction tables themselves.
#include "runtime/emulator/decode/Rows.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace fly;
using namespace fly::emulator;

namespace {

TEST(Tables, EachInstructionHasOneRow) {
  std::set<std::string_view> seen;
  for (auto rows : selectedRows())
    for (const Row &row : rows) {
      EXPECT_TRUE(seen.insert(row.name).second) << row.name << " is in two tables";
      EXPECT_NE(row.run, nullptr) << row.name;
      EXPECT_EQ(findRow(isa::findOp(row.name)), &row);
    }
}

TEST(Tables, EachRowNamesAnInstruction) {
  // These occur as halves of a VOPD pair only.
  const std::set<std::string_view> dualOnly = {"V_BITOP2_B32", "V_DOT2ACC_F32_BF16"};
  for (auto rows : selectedRows())
    for (const Row &row : rows)
      if (!dualOnly.count(row.name)) EXPECT_TRUE(isa::isInstructionName(row.name)) << row.name;
}

TEST(Tables, ThePortableBuildCanBeAskedFor) {
  const char *before = std::getenv("FLY_EMULATOR_SIMD");
  std::string kept = before ? before : "";
  setenv("FLY_EMULATOR_SIMD", "portable", 1);
  EXPECT_EQ(selectedRows().data(), portableRows().data());
  if (before) setenv("FLY_EMULATOR_SIMD", kept.c_str(), 1);
  else unsetenv("FLY_EMULATOR_SIMD");
}

} // namespace
