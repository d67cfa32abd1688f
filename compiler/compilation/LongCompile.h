// A line on standard error while LLVM works on one kernel for more than a few seconds.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace fly::driver {

/// Exists while a kernel is compiled for `arch`. The line is overwritten each second, and only shown on a terminal.
class LongCompile {
public:
  explicit LongCompile(std::string arch);
  ~LongCompile();

private:
  void show();

  std::string arch;
  std::mutex mutex;
  std::condition_variable changed;
  bool isDone = false;
  std::thread watcher; ///< none without a terminal
};

} // namespace fly::driver
