// The table of passes: each row has what its place needs, and docs/architecture.md shows the same table.
#include "compiler/codegen/pipeline/Pipeline.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

using namespace fly::codegen;

static std::string placeOf(const PassRow &row) {
  switch (row.place) {
  case PassPlace::BeforeOptimizer: return "before the optimizer";
  case PassPlace::Optimizer: return "the optimizer";
  case PassPlace::AfterOptimizer: return "after the optimizer";
  case PassPlace::BeforeBackend: return "before the backend";
  case PassPlace::InBackend: return "after `" + std::string(row.after.name) + "`";
  }
  return "";
}

TEST(Pipeline, RowsAreWhole) {
  std::set<std::string> names;
  for (const PassRow &row : passRows()) {
    EXPECT_TRUE(names.insert(row.name.str()).second) << row.name.str();
    EXPECT_EQ(row.run != nullptr, row.place != PassPlace::InBackend) << row.name.str();
    EXPECT_EQ(row.backend != nullptr, row.place == PassPlace::InBackend) << row.name.str();
    EXPECT_EQ(row.after.name != nullptr, row.place == PassPlace::InBackend) << row.name.str();
    EXPECT_TRUE(row.level == Level::LlvmIr || row.place == PassPlace::InBackend) << row.name.str();
  }
}

TEST(Pipeline, TheManualHasTheTable) {
  std::ifstream file(FLY_TEST_ARCHITECTURE);
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::string table = "| pass | level | place | when | why |\n|---|---|---|---|---|\n";
  for (const PassRow &row : passRows())
    table += "| `" + row.name.str() + "` | " + (row.level == Level::LlvmIr ? "LLVM IR" : "MIR") + " | " + placeOf(row) +
             " | " + row.when.text + " | " + row.why + " |\n";
  EXPECT_NE(page.find(table), std::string::npos) << "docs/architecture.md should have\n" << table;
}
