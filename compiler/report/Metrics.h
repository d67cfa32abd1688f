// The figures of a kernel in a report that have a name: for limits (`flyc stat`) and comparisons.
//
// Resources ("vgprs", "scratch", "waves"), the most registers that are live ("live_vgprs"), the number of loops, and
// each class of instructions by the name that `@expect` takes ("valu", "ds_read").
#pragma once

#include "compiler/report/Report.h"

#include <optional>

namespace fly::report {

struct Metric {
  std::string name, what;
  std::vector<std::string> path; ///< keys, from the kernel
  bool moreIsBetter = false;     ///< waves
};
const std::vector<Metric> &metrics();
const Metric *findMetric(llvm::StringRef name);
/// Its value; nothing if the report has none, or no number.
std::optional<int64_t> valueOf(const Metric &metric, const Json &kernel);

} // namespace fly::report
