// Which instruction was checked against which independent source: the records from which
// docs/generated/emulator-coverage.md is made.
//
// Each test program appends lines "arch name source" to a file of its own in $FLY_COVERAGE_DIR; without that variable
// nothing happens. `name` is isa::name(op). Sources: "pseudocode" (AMD's, interpreted), "manual" (AMD's manual of CDNA5
// in our own words, where the emulator follows another text), "model" (a published model in software, likewise), "host"
// (the same expression computed by the host's compiler), "mpfr", "facts" (tests/facts), "float64" (a product computed
// in double), "program" (a real program whose results are compared), "document" (expected values derived from a
// document by hand, which counts as single source).
#pragma once

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unistd.h>

namespace fly::emulator::test {

inline void recordSource(std::string_view arch, std::string_view name, std::string_view source) {
  static const char *folder = std::getenv("FLY_COVERAGE_DIR");
  if (!folder) return;
  static std::mutex mutex;
  static std::set<std::string> seen;
  static std::ofstream file(std::string(folder) + "/" + std::to_string(getpid()) + ".coverage");
  std::string line = std::string(arch) + " " + std::string(name) + " " + std::string(source);
  std::lock_guard lock(mutex);
  if (seen.insert(line).second) file << line << std::endl;
}

} // namespace fly::emulator::test
