// What `flyc sweep` builds on one architecture: the points of its grid that `where` leaves, each with the options that
// make it. A job is a point, and has the number of the point.
#pragma once

#include "compiler/search/JobRows.h"
#include "compiler/compilation/ArchCompilation.h"
#include "compiler/search/sweep/SweepGrid.h"
#include "compiler/search/sweep/SweepSettings.h"
#include "runtime/emulator/timing/Timing.h"

namespace fly::driver {

class SweepSearch {
public:
  SweepSearch(Session &session, const target::Target &target, const SweepSettings &command, const SweepGrid &grid)
      : session(session), command(command), grid(grid), compilation(session, target) {}
  /// Runs the file and evaluates `where`; false after diagnostics.
  bool open();
  /// The command line's options, and those of the point.
  Options optionsOf(size_t point) const;
  std::string arch() const { return std::string(compilation.target.name); }
  JobSearch list() const { return {identity, arch(), jobs.size()}; }

  Session &session;
  const SweepSettings &command;
  const SweepGrid &grid;
  ArchCompilation compilation; ///< without a point
  std::vector<size_t> jobs;    ///< the points that are not excluded
  emulator::Timing::Options timing;
  std::string identity; ///< of program, grid, options and flyc
  std::string hash;     ///< of the program without checks, for the table

private:
  bool listPoints();
};

} // namespace fly::driver
