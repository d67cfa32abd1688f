// Who reports, and whether it went well: diagnostics with their arguments, and a count of errors.
#pragma once

#include "compiler/diagnostics/Diagnostics.h"

#include <initializer_list>

namespace fly {

struct Reporter {
  explicit Reporter(DiagnosticEngine &diags) : diags(diags) {}

  DiagnosticBuilder report(diag::Kind kind, SourceRange range, std::initializer_list<std::string> args = {}) {
    failures += info(kind).severity == Severity::Error;
    auto builder = diags.report(kind, range);
    for (auto &arg : args)
      builder.arg(arg);
    return builder;
  }

  template <diag::Row R> DiagnosticBuilder report(SourceRange range, const R &row) {
    auto builder = report(R::kind, range);
    builder.args(row.texts());
    return builder;
  }

  DiagnosticEngine &diags;
  /// Errors met, also ones that are not shown because the same place was reported before.
  unsigned failures = 0;
};

} // namespace fly
