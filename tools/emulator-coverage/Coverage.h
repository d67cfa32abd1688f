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

/// What is said of instructions beside the tests' records: tests/facts/coverage_notes.json.
struct Note {
  std::vector<std::string> architectures, patterns; ///< patterns of names, with *
  std::string who, what, link;                      ///< who and link: empty for an open question
};
struct Notes {
  std::vector<Note> matched; ///< who compared with hardware
  std::vector<Note> open;    ///< where sources contradict each other, and what the emulator does
};
llvm::Expected<Notes> readNotes(const std::string &path);

struct Instruction {
  std::string name;
  std::string unit;     ///< "vector arithmetic", ...; of what is left out, why it is
  bool leftOut = false; ///< not for computing: graphics and what only system software uses
  bool executed = false;
  bool withoutEffect = false; ///< a hint, a sleep or a cache control: there is no result to check
  std::set<std::string> sources;
  std::string forms; ///< "VOP2 VOP3 DPP16"
  /// Compared with something other than our own reading of a document.
  bool checked() const { return sources.size() > sources.count("document"); }
};

struct Coverage {
  std::string architecture;
  std::vector<Instruction> instructions; ///< sorted by name
  std::vector<std::string> unbuilt;      ///< isa::OpcodeList::unbuilt
};

/// The names of a coverage's instructions that a note means. An error if it means none, or one of its patterns does.
llvm::Expected<std::vector<std::string>> meantBy(const Note &note, const Coverage &coverage);

/// An error if the records name what the architecture does not have or the emulator does not execute.
llvm::Expected<Coverage> coverageOf(const std::string &architecture, const Records &records);

/// The names of the units in the page's order.
const std::vector<std::string> &unitNames();

/// docs/generated/emulator-coverage.md.
llvm::Expected<std::string> page(const std::vector<Coverage> &all, const Notes &notes);

} // namespace fly::coverage
