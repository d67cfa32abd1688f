// Where `flyc report` prints: object by object, so that memory does not depend on how many there are. The result is
// what printing the whole document at once would give.
#pragma once

#include "compiler/report/Report.h"
#include "compiler/report/Summary.h"

#include "llvm/Support/raw_ostream.h"

#include <map>

namespace fly::driver {

enum class ReportForm { Text, Json, Summary };

class ReportOutput {
public:
  ReportOutput(ReportForm form, llvm::raw_ostream &os) : form(form), os(os) {}

  void object(const report::Json &object);
  /// For Summary.
  void kernels(const std::string &file, const std::string &architecture,
               const std::vector<report::KernelSummary> &kernels);
  /// Closes the document; prints an empty one if nothing was printed, unless `onlyIfBegun`.
  void finish(bool onlyIfBegun);

private:
  ReportForm form;
  llvm::raw_ostream &os;
  uint64_t objects = 0;
  std::map<std::string, uint64_t> kernelsByArchitecture;
};

/// How far long work has come, as a line on standard error that is overwritten; only if that is a terminal and the
/// results go elsewhere, and not in the first second.
class Progress {
public:
  ~Progress();
  void show(const std::string &text);

private:
  int64_t next = 0; ///< when to show it again; 0: not decided
  bool isShown = false;
};

} // namespace fly::driver
