// What tells one search from another: a hash of everything that a row depends on. Rows of another search are not taken.
#pragma once

#include "compiler/compilation/ArchCompilation.h"
#include "compiler/search/SearchSettings.h"
#include "runtime/emulator/timing/Timing.h"

#include "llvm/Support/SHA256.h"

namespace fly::driver {

class SearchIdentity {
public:
  /// Of the program, flyc, the architecture, and the options that all searches have.
  SearchIdentity(const std::string &command, const ArchCompilation &compilation, const SearchSettings &settings,
                 const emulator::Timing::Options &timing);
  void add(const std::string &text);
  void addAll(const std::vector<std::string> &texts);
  /// 16 hexadecimal digits.
  std::string text();

private:
  llvm::SHA256 hash;
};

} // namespace fly::driver
