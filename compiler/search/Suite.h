// `flyc test` and `flyc bench` of several files: a process for each file and architecture, as many at a time as there
// are cores. What they print appears in the order of the files; the results of all cases go to JUnit XML or JSON.
#pragma once

#include "compiler/compilation/Options.h"
#include "compiler/launch/ReferenceCounts.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fly::driver {

class Session;

/// Several files at once, for `flyc test` and `flyc bench`.
struct SuiteOptions {
  std::vector<std::string> paths; ///< files and folders
  unsigned jobs = 0;              ///< processes; 0: not given, one per core
  unsigned timeout = 3600;        ///< seconds for one file and architecture
  bool list = false;              ///< name the cases, run none
  bool failFast = false;          ///< stop after the first failure
  std::string junit;              ///< a file
  std::string results;            ///< a file for the parent process; empty: this is no part of a suite
  unsigned threads = 0;           ///< of the emulator in this part; 0: one a core
};

/// One case of a check or a bench.
struct CaseResult {
  std::string name;    ///< "adds n=255", without the architecture
  std::string outcome; ///< passed, failed, empty
  std::string detail;  ///< what failed; of one that passed: where a GPU left other bits than the emulator
  double milliseconds = 0;
  std::optional<ReferenceCounts> reference = std::nullopt; ///< of `--reference`
};

/// Whether the command is about more than one file on this process: several paths, a folder, -j, a file of results.
bool isSuite(const SuiteOptions &options, bool json);

/// `--arch all` as the list of all; names that are not known are left for whoever looks them up.
std::vector<std::string> expandedArchs(const std::vector<std::string> &archs);

/// One file on one architecture, as the command that starts its process fills it in.
struct SuitePart {
  std::string file, arch;
  std::string results;  ///< where the process writes the results of its cases
  unsigned threads = 0; ///< of the emulator; 0: one per core
};
/// The command line of a part, without the program.
using SuiteArguments = std::function<std::vector<std::string>(const SuitePart &)>;
/// What the options of a suite are in a part.
inline void becomePart(SuiteOptions &options, const SuitePart &part) {
  options.paths = {part.file};
  options.results = part.results;
  options.threads = part.threads;
}

/// Runs a process of `command` ("test", "bench") for each file and architecture; the exit status.
int runSuite(const Options &options, const SuiteOptions &suite, const std::string &command,
             const std::vector<std::string> &archs, const SuiteArguments &arguments, bool json, bool quiet);

/// The part of one process: the results of its cases to the file that its parent named; false after a diagnostic.
bool writeResults(Session &session, const std::string &path, const std::vector<CaseResult> &results);

} // namespace fly::driver
