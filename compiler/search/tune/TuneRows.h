// What became of each candidate of a search: a row, one line of JSON in the journal of `flyc tune`.
#pragma once

#include "compiler/compilation/TuneTable.h"
#include "compiler/search/RowHead.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fly::driver {

/// `Figured`: it ran. `Bounded`: it cannot be better than another. `Refused`: it does not compile, breaks a promise
/// or a precondition, uses scratch memory, or faults. `Died`: its process crashed or took too long. `Unused`: the
/// bench does not launch the kernel with these values. `Excluded`: by `where=`, without a job.
enum class TuneOutcome { Figured, Bounded, Refused, Died, Unused, Excluded };
/// "figured", ...
const char *name(TuneOutcome outcome);

/// A kernel with a `@tune` that the bench launches.
struct TunedLaunch {
  ConstantTexts own;                    ///< values of its `@tune` parameters without a table
  ConstantTexts constants;              ///< its other constants
  std::map<std::string, int64_t> shape; ///< of its first launch; empty if it came to none
};

struct TuneRow : RowHead {
  TuneOutcome outcome = TuneOutcome::Died;
  std::optional<double> figure, bound; ///< cycles
  std::map<std::string, TunedLaunch> kernels;

  std::string line() const;
  /// None if the text is not a row: the last line of a journal may be cut off.
  static std::optional<TuneRow> parse(const std::string &line);
};

} // namespace fly::driver
