// One job of `flyc sweep`: a point of the grid, in this process.
//
//  1. Compile the file with the point's options: everything that the selected benches launch, or all that the file
//     exports if it has none. Promises of `@expect` are kept or broken here.
//  2. Read the figures of each kernel from its machine code.
//  3. Run the selected checks.
//  4. Run the benches with the time model.
//
// A step that fails ends the job with a reason; what is known until then stays in the row.
#pragma once

#include "compiler/search/RowHead.h"
#include "compiler/search/sweep/SweepSearch.h"
#include "compiler/search/tune/TuneRows.h"

#include <nlohmann/json.hpp>

namespace fly::driver {

/// `Good`: it compiles, keeps its promises, and its checks pass. `Wrong`: a check fails. `Refused`: it does not
/// compile, breaks a promise, or a bench fails. `Died`: its process crashed or took too long. `Excluded`: by `where`,
/// without a job.
enum class SweepOutcome { Good, Wrong, Refused, Died, Excluded };
const char *name(SweepOutcome outcome); ///< "good", ...

/// One kernel of a point: an instance as it is launched.
struct SweepKernel {
  std::string kernel;
  ConstantTexts constants;
  std::map<std::string, std::string> llvmOptions;
  std::map<std::string, int64_t> shape;  ///< of its first launch
  std::map<std::string, double> figures; ///< SweepFigures.h
  std::optional<double> cycles;          ///< of all its launches
};

struct SweepBench {
  std::string title; ///< without the architecture
  std::vector<SweepKernel> kernels;
  std::optional<double> cycles;
};

struct SweepRow : RowHead {
  SweepOutcome outcome = SweepOutcome::Died;
  std::vector<SweepBench> benches; ///< without any, one without a title: what the file exports
  unsigned passed = 0, failed = 0; ///< checks

  /// Of all benches; none if one has none.
  std::optional<double> cycles() const;
  nlohmann::ordered_json toJson() const; ///< without the keys of a JobRow but the outcome
  std::string line() const;
  static std::optional<SweepRow> parse(const std::string &line);
};

/// Runs the job with `threads` of the emulator.
SweepRow runSweepJob(const SweepSearch &search, unsigned job, unsigned threads);

} // namespace fly::driver
