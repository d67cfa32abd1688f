// Results of a suite as JUnit XML, JSON (docs/schema/test.schema.json) and a line.
#pragma once

#include "compiler/search/Suite.h"

namespace fly::driver {

/// One file on one architecture.
struct SuiteUnit {
  std::string file, arch;
  bool ended = false;
  bool hasNone = false;                 ///< it has no case that is selected
  std::string died = {};                ///< why there are no results; empty: there are
  std::string output = {}, errors = {}; ///< what it printed
  std::vector<CaseResult> cases = {};
  size_t failures() const; ///< cases, and the unit itself if it died
};

struct SuiteCounts {
  size_t units = 0, passed = 0, failed = 0, empty = 0, died = 0;
  size_t differing = 0; ///< passed, with other bits on a GPU than on the emulator
  void add(const SuiteUnit &unit);
  std::string text() const; ///< "12 passed, 0 failed in 3 files"
};

/// What `writeResults` wrote; false if it is no such text.
bool readResults(const std::string &text, SuiteUnit &unit);
/// The sum over all cases; none if they did not run beside the reference.
std::optional<ReferenceCounts> referenceOf(const std::vector<SuiteUnit> &units);
std::string resultsText(const std::vector<CaseResult> &results);

std::string toJUnit(const std::vector<SuiteUnit> &units);
std::string toJson(const std::string &command, const std::vector<SuiteUnit> &units);

} // namespace fly::driver
