// Diagnostics as a SARIF 2.1.0 log, which code hosts and editors read:
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
//
// A log is one document, so what all sessions of a command report is collected, and written when the command ends. Each
// diagnostic is a result; labels, notes and helps with a place are related locations; each help with a replacement is a
// fix; calls and imports are a stack. A rule is a row of the table of diagnostics that has a result, with the page of
// `flyc explain` as its help. Columns count code points (`columnKind`).
#pragma once

#include "compiler/diagnostics/Diagnostics.h"

#include "llvm/Support/JSON.h"

#include <mutex>

namespace fly {

class SarifLog {
public:
  /// A diagnostic whose places are in `sources`. Any thread may call it.
  void add(const Diagnostic &diagnostic, const SourceManager &sources);
  /// So many errors were counted and not kept.
  void addHidden(unsigned errors);
  /// What a process of flyc wrote that this one started; the same result is kept once. False if it is no such log.
  bool add(llvm::StringRef log);
  /// Writes the document, with a line end. `version` is that of flyc, `status` the exit status of the command.
  void write(llvm::raw_ostream &os, llvm::StringRef version, int status) const;

private:
  int64_t ruleOf(diag::Kind kind);

  mutable std::mutex mutex;
  llvm::json::Array results, notifications;
  std::vector<diag::Kind> rules; ///< in the order of their first results
};

} // namespace fly
