// The instruction tables themselves.
#include "runtime/emulator/Program.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace fly;
using namespace fly::emulator;

namespace {

const std::pair<const char *, std::span<const Row> (*)()> families[] = {
    {"scalar", scalarRows}, {"scalar float", scalarFloatRows}, {"control", controlRows}, {"scalar memory", scalarMemoryRows},
    {"move", moveRows}, {"integer", integerRows}, {"short integer", shortIntegerRows}, {"float", floatRows},
    {"double", doubleRows}, {"half", halfRows}, {"convert", convertRows}, {"compare", compareRows}, {"packed", packedRows},
    {"cross lane", crossLaneRows}, {"vector memory", vectorMemoryRows}, {"buffer", bufferRows}, {"LDS", ldsRows}};

TEST(Tables, EachInstructionHasOneRow) {
  std::set<std::string_view> seen;
  for (auto &[family, rows] : families)
    for (const Row &row : rows()) {
      EXPECT_TRUE(seen.insert(row.name).second) << row.name << " again in the " << family << " table";
      EXPECT_NE(row.run, nullptr) << row.name;
      EXPECT_EQ(findRow(isa::findOp(row.name)), &row);
    }
}

TEST(Tables, EachRowNamesAnInstruction) {
  // These occur as halves of a VOPD pair only.
  const std::set<std::string_view> dualOnly = {"V_BITOP2_B32", "V_DOT2ACC_F32_BF16"};
  for (auto &[family, rows] : families)
    for (const Row &row : rows()) if (!dualOnly.count(row.name)) EXPECT_TRUE(isa::isInstructionName(row.name)) << row.name << " in the " << family << " table";
}

} // namespace
