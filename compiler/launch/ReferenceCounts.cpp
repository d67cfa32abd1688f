// See ReferenceCounts.h.
#include "compiler/launch/ReferenceCounts.h"

#include "llvm/Support/FormatVariadic.h"

namespace fly::driver {

void ReferenceCounts::add(const ReferenceCounts &other) {
  launches += other.launches, compared += other.compared;
  bytesWritten += other.bytesWritten, bytesCompared += other.bytesCompared;
  differences += other.differences;
  kernels.insert(other.kernels.begin(), other.kernels.end());
  for (auto &[reason, times] : other.reasons)
    reasons[reason] += times;
}

std::string ReferenceCounts::text() const {
  std::string text = llvm::formatv("reference: {0} of {1} launches compared, {2} of {3} bytes that they wrote\n",
                                   compared, launches, bytesCompared, bytesWritten);
  for (auto &[reason, times] : reasons)
    text += llvm::formatv("  not compared, {0} times: `{1}`: {2}\n", times, reason.first, reason.second);
  return text;
}

} // namespace fly::driver
