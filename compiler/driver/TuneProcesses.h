// Jobs of `flyc tune` as processes of this program, so that a crash or an endless candidate is a row and not the end.
#pragma once

#include "compiler/driver/TuneRows.h"

#include <functional>

namespace fly::driver {

struct TuneProcesses {
  unsigned most = 1;                     ///< at the same time
  unsigned timeout = 600;                ///< seconds for one

  struct Work {
    unsigned job;
    std::vector<std::string> arguments;  ///< of flyc; it writes its row to standard output
  };
  /// Runs what `next` gives, when a process is free, until it gives none and all have ended. `done` gets the row of a
  /// job, or why it has none.
  void run(const std::function<std::optional<Work>()> &next,
           const std::function<void(unsigned job, std::optional<TuneRow> row, const std::string &why)> &done) const;
};

} // namespace fly::driver
