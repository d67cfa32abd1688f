// Processes of this program that this program starts: what may crash, or never end, runs in one.
#pragma once

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Program.h"

#include <chrono>
#include <string>
#include <vector>

namespace fly::driver {

/// A file that is gone when this is.
class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef suffix);
  TemporaryFile(const TemporaryFile &) = delete;
  ~TemporaryFile();
  llvm::StringRef path() const { return name; } ///< empty: it could not be made
  std::string text() const;

private:
  llvm::SmallString<128> name;
};

class ChildProcess {
public:
  /// Starts flyc with these arguments; it is killed after `timeout` seconds. Never throws or reports: see `ended`.
  ChildProcess(const std::vector<std::string> &arguments, unsigned timeout);
  /// Whether it has ended, or never began. Kills it if it is late.
  bool ended();
  /// Returns when it has ended.
  void wait();
  /// Ends it, if it has not; its results are nothing.
  void stop();

  std::string output() const { return out.text(); }
  std::string errors() const { return err.text(); }
  /// The last lines of these.
  std::string lastErrors(size_t lines) const;
  /// After the end: the status; -1 if it crashed, was killed or never began.
  int status() const { return result.ReturnCode; }
  bool wasLate() const { return late; }
  /// Why there is no result, such as "it crashed: ...". `option` sets the limit of time.
  std::string cause(const std::string &option) const;

private:
  TemporaryFile out{"out"}, err{"err"};
  unsigned timeout;
  std::chrono::steady_clock::time_point deadline;
  llvm::sys::ProcessInfo process, result;
  std::string problem; ///< of starting or ending it, in the system's words
  bool started = false, done = false, late = false;
};

} // namespace fly::driver
