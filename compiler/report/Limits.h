// Limits on the figures of a report, for `flyc stat --fail-on`: a list of conditions that must not hold.
//
//     limits    := limit { "," limit }
//     limit     := METRIC ( ">" | ">=" | "<" | "<=" | "==" | "!=" ) [ "+" | "-" ] NUMBER [ "%" ]
//
// Without a sign the value itself is compared: `scratch>0`. With one, how much it has grown over the baseline's:
// `vgprs>+0` (more than before), `waves<-1` (less by more than one), `instructions>+2.5%`.
#pragma once

#include "compiler/report/Metrics.h"

namespace fly::report {

struct Limit {
  std::string text;
  const Metric *metric = nullptr;
  enum Operator { Greater, GreaterEqual, Less, LessEqual, Equal, NotEqual } op = Greater;
  bool relative = false, percent = false;
  double number = 0; ///< with its sign
};

/// An error names the malformed limit and the reason; `unknown` is set to the name if no such metric exists.
struct LimitError {
  std::string limit, message, unknown;
};
std::optional<LimitError> parseLimits(llvm::StringRef text, std::vector<Limit> &out);

struct Broken {
  std::string kernel; ///< "gemm, gfx942"
  const Limit *limit = nullptr;
  int64_t value = 0;
  std::optional<int64_t> before;
};
struct LimitResult {
  std::vector<Broken> broken;
  std::vector<std::string> notes; ///< what could not be compared
  unsigned kernels = 0;
};
/// `baseline` may be null if no limit is relative.
LimitResult checkLimits(const std::vector<Limit> &limits, const Json &report, const Json *baseline);
/// "gemm, gfx942: vgprs is 108, was 104: vgprs>+0"
std::string describe(const Broken &broken);

} // namespace fly::report
