// The figures of `flyc sweep`: of a kernel's machine code, by name, for its table, for `--by` and for JSON.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fly::driver {

struct SweepFigure {
  const char *name, *head, *what; ///< in JSON and `--by`; of its column; in words
  bool moreIsBetter = false;
};
/// In the order of the columns.
const std::vector<SweepFigure> &sweepFigures();
const SweepFigure *findSweepFigure(llvm::StringRef name);

/// Those of one kernel of a code object; none if it cannot be decoded, and `error` says why.
std::optional<std::map<std::string, double>> figuresOf(llvm::StringRef codeObject, const std::string &symbol,
                                                       std::string &error);

} // namespace fly::driver
