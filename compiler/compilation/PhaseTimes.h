// How long each phase of a run took, for `--time`.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace fly::driver {

/// Wall-clock time by phase, for `--time`; of phases that run side by side the sum over threads.
class PhaseTimes {
public:
  struct Scope {
    PhaseTimes &times;
    std::string phase;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Scope() {
      times.add(phase, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
  };
  Scope measure(std::string phase) { return {*this, std::move(phase)}; }
  void add(const std::string &phase, double ms);
  void print(llvm::raw_ostream &os) const;

private:
  std::vector<std::pair<std::string, double>> phases;
};

} // namespace fly::driver
