// What HIP says of its devices. It is asked in a process of its own: HIP may hang, or abort the process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fly::doctor {

struct HipDevice {
  std::string name, architecture; ///< "AMD Instinct MI300X", "gfx942"
  int64_t computeUnits = 0;
};

struct HipFacts {
  std::string library; ///< "libamdhip64.so.6"
  int version = 0;     ///< as hipRuntimeGetVersion has it; 0: not known
  std::vector<HipDevice> devices;
  std::string problem; ///< why there are none

  std::string versionText() const; ///< "6.2.41134"
  /// Whether HIP is at least as new.
  bool isAtLeast(int major, int minor) const;
  bool isEmulated() const; ///< flyc's own emulator under HIP's name
};

/// Whether a device of this name is flyc's own emulator.
bool isEmulator(const std::string &deviceName);
/// Asks HIP, here and now.
HipFacts askHip();
/// The same in a child, `seconds` at most; `problem` tells how it ended if it did not answer.
HipFacts askHipSafely(unsigned seconds);
std::string toJson(const HipFacts &facts);

} // namespace fly::doctor
