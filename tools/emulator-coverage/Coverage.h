// The data of the coverage page: an architecture's instructions, which of them the emulator executes, and against which
// sources the tests compare them.
#pragma once

#include "compiler/isa/OpcodeList.h"

#include "llvm/Support/Error.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fly::coverage {

/// "arch NAME source" lines of the test programs (tests/emulator/CoverageRecord.h): by architecture, then name.
using Records = std::map<std::string, std::map<std::string, std::set<std::string>>>;
/// All files *.coverage of a folder. An error for a line that cannot be read.
llvm::Expected<Records> readRecords(const std::string &folder);

struct Instruction {
  std::string name;
  std::string unit;                  ///< "vector arithmetic", ...; of what is left out, why it is
  bool leftOut = false;              ///< not for computing: graphics and what only system software uses
  bool executed = false;
  bool withoutEffect = false;        ///< executed by doing nothing: there is no result to check
  std::set<std::string> sources;
  std::string forms;                 ///< "VOP2 VOP3 DPP16"
  /// Compared with something other than our own reading of a document.
  bool checked() const { return sources.size() > sources.count("document"); }
};

struct Coverage {
  std::string architecture;
  std::vector<Instruction> instructions; ///< sorted by name
  std::vector<std::string> unbuilt;      ///< isa::OpcodeList::unbuilt
};

/// An error if the records name what the architecture does not have or the emulator does not execute.
llvm::Expected<Coverage> coverageOf(const std::string &architecture, const Records &records);

/// The names of the units in the page's order.
const std::vector<std::string> &unitNames();

/// docs/emulator-coverage.md.
std::string page(const std::vector<Coverage> &all);

} // namespace fly::coverage
