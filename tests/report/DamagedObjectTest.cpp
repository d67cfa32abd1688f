// A report of a damaged code object is an error or a report, never a crash or a hang; a damaged report likewise.
#include "compiler/report/Limits.h"
#include "compiler/report/Report.h"
#include "compiler/report/ReportDiff.h"
#include "tests/report/TestSupport.h"

#include <random>

namespace fly::report::test {

namespace {

void reportAll(const std::string &bytes) {
  std::vector<char> copy(bytes.begin(), bytes.end()); // exact, so that a sanitizer sees a read beyond the end
  auto object = isa::CodeObject::read(llvm::StringRef(copy.data(), copy.size()));
  if (!object) {
    EXPECT_FALSE(errorOf(object).empty());
    return;
  }
  auto report = reportOf(*object, "damaged", {.listing = true});
  if (!report) {
    EXPECT_FALSE(errorOf(report).empty());
    return;
  }
  Json document = wrap({*report});
  EXPECT_FALSE(toText(document).empty());
  EXPECT_FALSE(toDiffText(diffOf(document, document)).empty() && !document["objects"][0]["kernels"].empty());
}

} // namespace

TEST(DamagedObject, TruncatedAnywhere) {
  std::string bytes = codeObject("control.gfx1201");
  ASSERT_FALSE(bytes.empty());
  for (size_t size = 0; size < bytes.size(); size += 128)
    reportAll(bytes.substr(0, size));
}

TEST(DamagedObject, FlippedAtRandom) {
  std::mt19937 random(20);
  for (const char *name : {"control.gfx942", "matrix.gfx950", "memory.gfx1201", "arithmetic.gfx1250"}) {
    const std::string bytes = codeObject(name);
    ASSERT_FALSE(bytes.empty());
    for (unsigned round = 0; round < 60; ++round) {
      std::string damaged = bytes;
      for (unsigned flips = 1 + random() % 8; flips; --flips)
        damaged[random() % damaged.size()] ^= static_cast<char>(1u << (random() % 8));
      reportAll(damaged);
    }
  }
}

TEST(DamagedObject, ReportsThatAreNone) {
  for (const char *text : {"", "{", "[]", "{}", R"({"schema_version": 1, "objects": 3})",
                           R"({"schema_version": 9, "objects": []})", R"({"schema_version": 1, "objects": [3]})",
                           R"({"schema_version": 1, "objects": [{"arch": "gfx942", "kernels": [{}]}]})"}) {
    auto report = readReport(text);
    EXPECT_FALSE(bool(report)) << text;
    if (!report)
      EXPECT_FALSE(errorOf(report).empty());
  }
  EXPECT_TRUE(bool(readReport(R"({"schema_version": 1, "objects": []})")));
}

} // namespace fly::report::test
