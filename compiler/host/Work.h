// How long work on host arrays is done.
#pragma once

#include <functional>

namespace fly::host {

struct Work {
  Work(unsigned threads = 0, std::function<void(double)> tell = {}) : threads(threads), tell(std::move(tell)) {}

  unsigned threads; ///< an upper bound, without effect on results; 0: one per core
  /// Receives the share that is done, 0 to 1, now and then, on the thread that began the work.
  std::function<void(double share)> tell;
};

} // namespace fly::host
