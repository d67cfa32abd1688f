// Jobs as processes of this program, several at a time, so that a crash or an endless candidate is a row and not the
// end.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fly::driver {

class ChildProcess;

struct JobProcesses {
  unsigned most = 1;                   ///< at the same time
  unsigned timeout = 600;              ///< seconds for one
  std::function<bool()> isEnough = {}; ///< once it says so, those that run are stopped, and nothing hears of them

  struct Work {
    unsigned job;
    std::vector<std::string> arguments; ///< of flyc; it writes its row to standard output
  };
  /// Runs what `next` gives, when a process is free, until it gives none and all have ended; `done` gets each that has.
  void run(const std::function<std::optional<Work>()> &next,
           const std::function<void(unsigned job, const ChildProcess &process)> &done) const;
};

} // namespace fly::driver
