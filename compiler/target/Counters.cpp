// See Counters.h.
#include "compiler/target/Counters.h"

#include <iterator>

namespace fly::target {

std::string_view name(Counter counter) {
  static constexpr std::string_view names[] = {"vmcnt",     "lgkmcnt", "expcnt",    "loadcnt", "storecnt",
                                               "dscnt",     "kmcnt",   "samplecnt", "bvhcnt",  "asynccnt",
                                               "tensorcnt", "xcnt",    "vscnt"};
  static_assert(std::size(names) == counterCount);
  const auto number = static_cast<unsigned>(counter);
  return number < counterCount ? names[number] : "?";
}

bool hasCounter(const Target &target, Counter counter) {
  switch (counter) {
  case Counter::Exp: return true;
  case Counter::Vm:
  case Counter::Lgkm: return !target.generation.splitCounters;
  case Counter::Vs: return target.generation.storeCounter;
  case Counter::Async: return target.hasFeature("async_lds");
  case Counter::Tensor: return target.hasFeature("tensor_dma");
  case Counter::X: return target.translationCounter;
  default: return target.generation.splitCounters;
  }
}

} // namespace fly::target
