// What the system says of its GPUs, before HIP is asked: the driver, the files through which programs reach it, the
// cards.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fly::doctor {

/// A file of /dev.
struct DeviceFile {
  std::string path;   ///< "/dev/kfd"
  bool opens = false; ///< for reading and writing, by this user
  std::string group;  ///< that owns it
};

/// A card whose vendor is AMD.
struct Card {
  std::string name;                              ///< "card0"
  std::string computePartition, memoryPartition; ///< "SPX", "NPS1"; empty: the card has no partitions
  std::vector<std::string> displays;             ///< connectors with something on them: "HDMI-A-1"
};

struct SystemFacts {
  std::string kernel;       ///< "6.1.0-18-amd64"
  std::string distribution; ///< "Debian GNU/Linux 12 (bookworm)"; empty: unknown
  bool hasDriver = false;   ///< amdgpu is loaded
  std::string driver;       ///< its version; empty: the kernel's own
  std::string rocm;         ///< of /opt/rocm; empty: not there
  bool inContainer = false;
  std::optional<DeviceFile> compute; ///< /dev/kfd
  std::vector<DeviceFile> render;    ///< /dev/dri/renderD128, ...
  std::vector<Card> cards;
};

/// `root` stands before all paths; empty outside of tests.
SystemFacts readSystem(const std::string &root);

} // namespace fly::doctor
