// The emulator's C++ API: executes AMD GPU code objects on the CPU and watches what they do.
//
//     fly::emulator::Device device(*fly::emulator::findArchitecture("gfx942"));
//     auto module = device.load(hsacoBytes);                    // Expected: reasons are texts
//     uint64_t c = device.allocate(bytes, "c");                 // guarded, poisoned
//     device.write(c, data, size);
//     LaunchResult r = device.launch(*module, "vec_add", config, kernargs);
//     if (!r.ok) puts(r.report.text().c_str());                       // kernel, instruction, .fly line, lane, address
//
// No global state; a process may have several devices. A Device is not thread-safe; different Devices are
// independent. Sizes are bytes, grids are workgroups.
#pragma once

#include "runtime/emulator/device/LaunchConfig.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fly::emulator {

class Module;       ///< a loaded code object
class SharedMemory; ///< what several devices see (Memory.h)

class Device {
public:
  /// Devices that see `shared` memory have distinct numbers, up to 15.
  explicit Device(const Architecture &arch, unsigned number = 0, std::shared_ptr<SharedMemory> shared = nullptr);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const Architecture &architecture() const;

  /// Guarded memory: an access outside of any live allocation is an error that names the nearest one.
  /// New memory holds a poison pattern, or zeros, which take no memory of the host before they are written. 256-byte
  /// aligned. Returns 0 if there is no memory left.
  enum class Contents : uint8_t { Poison, Zero };
  uint64_t allocate(uint64_t bytes, std::string name = {}, Contents contents = Contents::Poison);
  bool free(uint64_t address); ///< false when nothing was allocated there
  bool write(uint64_t address, const void *from, uint64_t bytes);
  bool read(uint64_t address, void *to, uint64_t bytes) const;
  bool fill(uint64_t address, uint8_t value, uint64_t bytes);
  /// The host's view of [address, address+bytes), null if outside; valid until `free`.
  void *hostPointer(uint64_t address, uint64_t bytes);
  /// A file that holds the allocation's bytes from now on, for another process to map; -1 if that is not possible. It is
  /// closed when the allocation is freed. No kernel runs.
  int exportToFile(uint64_t address);
  /// Addresses of this device that no allocation gets, for memory that other processes have exported; 0: none left.
  uint64_t reserve(uint64_t bytes);
  uint64_t bytesInUse() const;
  uint64_t bytesInAll() const;

  /// Loads a code object as the ROCm loader would: checks e_flags against the architecture, maps segments,
  /// applies relocations, reads the metadata note and the kernel descriptors. On failure null and `error`.
  std::shared_ptr<Module> load(std::string_view codeObject, std::string &error);

  /// Runs one kernel to its end. `kernargs` are the explicit arguments, laid out as the metadata says; hidden
  /// arguments are filled in here.
  LaunchResult launch(const Module &module, std::string_view kernel, const LaunchConfig &config,
                      std::string_view kernargs);
  /// Runs kernels that were loaded here as those of several devices that share this device's memory, at once, on one
  /// host thread: they take turns, and a wave that polls gives way. Races between devices are found like those between
  /// workgroups, and when all kernels only wait for each other, that is a deadlock. A fault ends all of them. No time
  /// is modelled.
  LaunchResult launchTogether(std::span<const DeviceLaunch> launches);
  /// Why `launch` would refuse this before anything runs; empty if it would not.
  static std::string refusal(const Module &module, std::string_view kernel, const LaunchConfig &config,
                             std::string_view kernargs);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// What a loaded kernel needs, from its descriptor and metadata.
struct KernelProperties {
  std::string name;
  uint32_t kernargBytes = 0, explicitKernargBytes = 0, ldsBytes = 0, scratchBytes = 0;
  uint32_t maxWorkgroupSize = 1024, waveSize = 64;
  uint32_t vgprs = 0, agprs = 0, sgprs = 0;
  /// Workgroups of `threads` that share a compute unit when each has `ldsBytes` in all.
  uint32_t residentWorkgroups(uint32_t threads, uint32_t ldsBytes, std::string_view architecture) const;
};
/// A global variable of a loaded module: where it is on the device.
struct ModuleVariable {
  uint64_t address, bytes;
};
std::optional<ModuleVariable> moduleVariable(const Module &module, std::string_view name);
std::vector<std::string> kernelNames(const Module &module);
std::optional<KernelProperties> kernelProperties(const Module &module, std::string_view kernel);

} // namespace fly::emulator
