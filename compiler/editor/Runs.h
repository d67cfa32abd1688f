// Checks and benches that the author runs: `flyc test` and `flyc bench` in a process of their own, and what came of it.
// They read files, so what they tell is of the text on the disk.
#pragma once

#include "compiler/compilation/ChildProcess.h"
#include "compiler/compilation/Options.h"
#include "compiler/target/Target.h"

#include "llvm/Support/JSON.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fly::editor {

/// The options of a build as arguments of a process.
std::vector<std::string> sourceArguments(const driver::Options &options);

/// A place in a file, lines and columns from 1; line 0: unknown.
struct FilePlace {
  std::string path;
  uint32_t line = 0, column = 1;
};

/// How a check went, over its cases.
struct CheckResult {
  struct Failure {
    FilePlace place;
    std::string text; ///< "adds n=3: the result differs ..."
  };
  std::string arch, problem; ///< problem: why there is no result
  unsigned passed = 0, failed = 0;
  double milliseconds = 0;
  std::vector<Failure> failures;
  size_t textHash = 0;

  std::string title() const; ///< "24 cases passed on gfx950, 1.2 s"
};

/// Modelled times of a bench.
struct BenchResult {
  struct Launch {
    std::string kernel, instance, parameters; ///< "sums", "sums[T=f32]", "m=16 n=8192"
    std::string machine;                      ///< "MI355X"
    double cycles = 0, megahertz = 0, microseconds = 0;
  };
  std::string arch, problem;
  std::vector<Launch> launches;
  size_t textHash = 0;

  std::string title() const; ///< "1.5 to 3.2 us modelled on gfx950"
};

/// "1.5 us", "1.5 to 3.2 us": of launches that are not none.
std::string timeText(const std::vector<const BenchResult::Launch *> &launches);

struct RunJob {
  bool isBench = false;
  std::string uri, path, name; ///< of the check or bench
  size_t textHash = 0;
  llvm::json::Value token = nullptr; ///< of its progress
};

/// One that runs; ends with this object.
class ToolRun {
public:
  ToolRun(const driver::Options &options, const target::Target &target, RunJob job, unsigned timeout);
  ~ToolRun() { child->stop(); }
  bool ended() { return child->ended(); }
  void wait() { child->wait(); }
  // After the end.
  CheckResult check() const;
  BenchResult bench() const;

  const RunJob job;

private:
  std::string arch;
  std::unique_ptr<driver::ChildProcess> child;
};

} // namespace fly::editor
