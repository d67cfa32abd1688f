#include "compiler/compilation/PhaseTimes.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace fly::driver {

void PhaseTimes::add(const std::string &phase, double ms) {
  for (auto &[name, total] : phases)
    if (name == phase) {
      total += ms;
      return;
    }
  phases.push_back({phase, ms});
}

void PhaseTimes::print(llvm::raw_ostream &os) const {
  double all = 0;
  for (auto &[name, ms] : phases)
    all += ms;
  for (auto &[name, ms] : phases)
    os << llvm::format("  %-14s %8.1f ms  %3.0f %%\n", name.c_str(), ms, all > 0 ? 100 * ms / all : 0);
  os << llvm::format("  %-14s %8.1f ms\n", "all", all);
}

} // namespace fly::driver
