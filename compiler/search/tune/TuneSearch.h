// What `flyc tune` searches on one architecture: cases of benches, candidates of kernels, and jobs made of them.
//
//     jobs:  case 0 with own values, case 1 with own values, ...,
//            case 0 with candidate 0, case 0 with candidate 1, ..., case 1 with candidate 0, ...
//
// The number of a job depends on the program and the options alone, so that a job can run anywhere: `identity` names
// both.
#pragma once

#include "compiler/launch/Cases.h"
#include "compiler/launch/FigureSource.h"
#include "compiler/search/JobRows.h"
#include "compiler/search/tune/TuneRows.h"
#include "compiler/search/tune/TuneSettings.h"

namespace fly::driver {

/// One combination of values for one kernel; all other kernels have their own values.
struct TuneCandidate {
  const sema::KernelDefinition *kernel;
  std::map<std::string, sema::Value> values;
  ConstantTexts texts;
  std::string title;     ///< "BM=64 STAGES=2"
  bool excluded = false; ///< by `where=`
  size_t rank = 0;       ///< among those that are not
};

struct TuneJob {
  size_t caseNumber;
  std::optional<size_t> candidate; ///< none: own values
};

class TuneSearch {
public:
  TuneSearch(Session &session, const target::Target &target, const TuneSettings &command)
      : session(session), command(command), compilation(session, target) {}
  /// Runs the file and lists everything; false after diagnostics.
  bool open();
  /// The job of a case and a candidate; none of one that `where=` excludes.
  std::optional<unsigned> jobOf(size_t caseNumber, size_t candidate) const;
  std::string arch() const { return std::string(compilation.target.name); }
  JobSearch list() const { return {identity, arch(), jobs.size()}; }

  Session &session;
  const TuneSettings &command;
  ArchCompilation compilation;
  std::vector<Case> cases;
  std::vector<TuneCandidate> candidates; ///< by kernel in the order of the file, the last parameter fastest
  std::vector<TuneJob> jobs;
  FigureSource source;              ///< of the figures
  emulator::Timing::Options timing; ///< what the time model is asked for
  std::string identity;             ///< of program, options and flyc
  std::string hash;                 ///< of the program without checks, for the table

private:
  bool listCases();
  bool listCandidates(const sema::KernelDefinition &kernel);
  bool applyShapes();
  size_t included = 0; ///< candidates that are not excluded
};

} // namespace fly::driver
