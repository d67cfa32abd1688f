// The table beside a source, as `flyc tune` and `flyc sweep --pin` add to it.
#pragma once

#include "compiler/compilation/TuneTable.h"

namespace fly::driver {

class Session;

struct FoundEntries {
  std::string arch, kernel;
  TunedKernel tuned;
};

/// The table, or an empty one; none after a diagnostic.
std::optional<TuneTable> readTable(Session &session, const std::string &path);

/// Adds what was found, and writes the table unless `dryRun` or nothing was found; the number of entries, or none after
/// a diagnostic.
std::optional<size_t> addToTable(Session &session, const std::string &path, const std::vector<FoundEntries> &found,
                                 bool dryRun);

} // namespace fly::driver
