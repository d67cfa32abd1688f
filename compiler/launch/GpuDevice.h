// A GPU, for `--device gpu`: the runtime of generated programs (runtime/include/fly/runtime.h) opens HIP when it is
// first asked. flyc itself links no HIP.
//
// Times are of HIP's events around the launches of one call in a check or a bench. Each call runs a few times to warm
// up, then several times more, and the median counts.
#pragma once

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/target/Target.h"
#include "fly/runtime.h" // the interface of generated programs, as they include it

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fly::driver {

struct GpuTimes {
  std::vector<double> samples; ///< microseconds, in the order of the runs
  double median() const;
};

class GpuDevice {
public:
  /// The first GPU of the architecture; null, and `problem` says why: no HIP, no GPU, none of this architecture.
  static std::unique_ptr<GpuDevice> open(const target::Target &target, std::string &problem);
  ~GpuDevice();
  GpuDevice(const GpuDevice &) = delete;

  const std::string &name() const { return deviceName; } ///< "AMD Instinct MI300X"
  int64_t computeUnits() const { return units; }

  // Each returns false, or a null address, after an error: see `error`.
  uint64_t allocate(uint64_t bytes);
  bool free(uint64_t address);
  bool write(uint64_t address, const void *from, uint64_t bytes);
  bool read(uint64_t address, void *to, uint64_t bytes);
  /// Zeros, in the order of launches.
  bool fill(uint64_t address, uint8_t byte, uint64_t bytes);
  bool launch(const std::string &codeObject, const std::string &symbol, const std::array<uint32_t, 3> &grid,
              const std::array<uint32_t, 3> &block, uint32_t dynamicLds, const std::string &arguments);
  /// Unloads the code object, which no launch needs any more.
  void forget(const std::string &codeObject);
  /// Waits for what was launched, at most `secondsAtMost`. Afterwards the device is lost: HIP can end no kernel, so
  /// every later call fails, and the process should end without giving anything back.
  bool synchronize();
  unsigned secondsAtMost = 0; ///< 0: for ever
  bool isLost() const { return !lost.empty(); }
  /// After an error: whether the device still does anything. After a fault of a kernel HIP repeats the error for ever;
  /// then it is lost.
  void probe();
  /// What runs on the device, for the message of a process that HIP aborts after a fault.
  void name(const std::string &work);
  /// Runs `body` `warmUp` times, then `repeat` times with a time each. `before` runs before each, and is not timed.
  /// None after an error. One process at a time measures on this machine.
  std::optional<GpuTimes> measure(unsigned warmUp, unsigned repeat, const std::function<bool()> &before,
                                  const std::function<bool()> &body);
  /// Of this thread's last call.
  std::string error() const { return lost.empty() ? fly_error() : lost; }

private:
  GpuDevice() = default;
  const fly_kernel *kernelOf(const std::string &codeObject, const std::string &symbol);

  std::string deviceName;
  std::string lost; ///< why
  int64_t units = 0;
  fly_event begin = nullptr, end = nullptr;
  std::map<std::string, fly_object *> objects; ///< by their bytes
};

} // namespace fly::driver
