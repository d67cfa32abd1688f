// The emulator's C++ API: executes AMD GPU code objects on the CPU and watches what they do.
//
//     fly::emulator::Device device(*fly::emulator::findArchitecture("gfx942"));
//     auto module = device.load(hsacoBytes);                    // Expected: reasons are texts
//     uint64_t c = device.allocate(bytes, "c");                 // guarded, poisoned
//     device.write(c, data, size);
//     LaunchResult r = device.launch(*module, "vec_add", config, kernargs);
//     if (!r.ok) puts(r.report.c_str());                        // kernel, instruction, .fly line, lane, address
//
// No global state; a process may have several devices. A Device is not thread-safe; different Devices are
// independent. Sizes are bytes, grids are workgroups.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fly::emulator {

struct Architecture;                                  ///< one row of the architecture table
const Architecture *findArchitecture(std::string_view name); ///< "gfx942" ...; null if unknown
std::vector<std::string> architectureNames();

class Module;                                         ///< a loaded code object
class SharedMemory;                                   ///< what several devices see (Memory.h)
struct Profile;

/// In which order the waves of a workgroup run to their next blocking point (barrier, end). A kernel without
/// races gives the same result under each.
enum class WaveOrder { Ascending, Descending, Seeded };

/// What v_rcp, v_rsq, v_sqrt, v_exp, v_log, v_sin, v_cos, v_tanh return. Their documents promise 1 ulp (f64: 2^29 ulp), so of
/// the two numbers around the exact result hardware may give either: Nearest is the better one, Below and Above are fixed.
enum class Approximation : int8_t { Below = -1, Nearest = 0, Above = 1 };

struct LaunchConfig {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::array<uint32_t, 3> cluster{1, 1, 1};           ///< gfx1250: workgroups that run together; divides the grid
  uint32_t dynamicLdsBytes = 0;
  WaveOrder order = WaveOrder::Ascending;
  uint64_t seed = 0;                                  ///< for WaveOrder::Seeded
  Approximation approximation = Approximation::Nearest;
  uint64_t instructionLimit = 0;                      ///< wave instructions in all, 0: a generous default
  bool checkRaces = false;                            ///< a race on LDS is a fault; costs memory and time (RaceCheck.h)
  bool checkWaits = true;                             ///< using a register before its load has been waited for is a fault
  unsigned threads = 0;                               ///< host threads that run workgroups; 0: one a core
  Profile *profile = nullptr;                         ///< filled in with what was counted; see Profile.h. Slower
};

/// A fault in a form programs can read; `report` is the same as text.
enum class FaultKind {
  None, BadLaunch, UnknownInstruction, OutOfBounds, LdsOutOfBounds, RegisterOutOfRange, BadJump, Misaligned,
  Deadlock, Runaway, Trap, UninitialisedRead, MissingWait, Race,
};

struct LaunchResult {
  bool ok = false;
  FaultKind fault = FaultKind::None;
  std::string report;                                 ///< several lines; empty when ok
  uint64_t faultAddress = 0;                          ///< of the memory access
  std::string faultFile; unsigned faultLine = 0;      ///< from the code object's line table; 0 if there is none
  uint64_t waveInstructions = 0;                      ///< executed, all waves
  std::string output;                                 ///< what the kernel printed, also before a fault
};

class Device {
public:
  /// Devices that see `shared` memory have numbers of their own, up to 15.
  explicit Device(const Architecture &arch, unsigned number = 0, std::shared_ptr<SharedMemory> shared = nullptr);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const Architecture &architecture() const;

  /// Guarded memory: an access outside of any live allocation is an error that names the nearest one.
  /// New memory holds a poison pattern. 256-byte aligned. 0 when there is no memory left.
  uint64_t allocate(uint64_t bytes, std::string name = {});
  bool free(uint64_t address);                        ///< false when nothing was allocated there
  bool write(uint64_t address, const void *from, uint64_t bytes);
  bool read(uint64_t address, void *to, uint64_t bytes) const;
  bool fill(uint64_t address, uint8_t value, uint64_t bytes);
  /// The host's view of [address, address+bytes), null if outside; valid until `free`.
  void *hostPointer(uint64_t address, uint64_t bytes);
  uint64_t bytesInUse() const;
  uint64_t bytesInAll() const;

  /// Loads a code object as the ROCm loader would: checks e_flags against the architecture, maps segments,
  /// applies relocations, reads the metadata note and the kernel descriptors. On failure null and `error`.
  std::shared_ptr<Module> load(std::string_view codeObject, std::string &error);

  /// Runs one kernel to its end. `kernargs` are the explicit arguments, laid out as the metadata says; hidden
  /// arguments are filled in here.
  LaunchResult launch(const Module &module, std::string_view kernel, const LaunchConfig &config,
                      std::string_view kernargs);
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
struct ModuleVariable { uint64_t address, bytes; };
std::optional<ModuleVariable> moduleVariable(const Module &module, std::string_view name);
std::vector<std::string> kernelNames(const Module &module);
std::optional<KernelProperties> kernelProperties(const Module &module, std::string_view kernel);

} // namespace fly::emulator
