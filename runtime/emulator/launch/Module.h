// A loaded code object: its segments in device memory, its kernels ready to launch.
#pragma once

#include "runtime/output.h"
#include "runtime/emulator/wave/Program.h"

#include <span>

namespace fly::emulator {

class Module {
public:
  std::string bytes; ///< the code object; `object` refers to it
  isa::CodeObject object;
  const Architecture *arch = nullptr;
  std::shared_ptr<Memory> memory;
  uint64_t bias = 0;         ///< device address minus the file's
  uint64_t ring = 0;         ///< memory for what kernels print (runtime/output.h); 0: none
  uint64_t ringVariable = 0; ///< the device address of the variable that points to it
  fly_output_image output{};
  std::vector<uint64_t> placed; ///< segments, to be freed
  /// The decoded code of a kernel for thread `thread` of a launch; kept between launches. Threads run concurrently, so
  /// get all of them before any starts.
  Program &program(const isa::Kernel &kernel, unsigned waveSize, unsigned thread) const;
  mutable std::map<std::string, std::vector<std::unique_ptr<Program>>> programs; ///< by kernel, then thread
  ~Module();
  // Mutation.h: what is broken, whether a launch has faulted since, and the longest launch before.
  mutable Breakage broken;
  mutable bool faulted = false;
  mutable uint64_t longestLaunch = 0;
};

/// Null and a reason when `codeObject` cannot be loaded on `arch`.
std::shared_ptr<Module> loadModule(std::shared_ptr<Memory> memory, const Architecture &arch,
                                   std::string_view codeObject, std::string &error);
/// VGPRs, AGPRs and SGPRs that the descriptor grants.
RegisterLimits registerLimits(const Architecture &arch, const isa::Kernel &kernel);

/// Workgroups that a compute unit has room for, and what allows no more of them: "VGPRs", "SGPRs", "LDS",
/// "workgroup slots" or "wave slots".
struct Residency {
  uint32_t workgroups = 0;
  std::string_view limit;
};
/// Of workgroups of `threads` that have `lds` bytes each. None for an unknown architecture.
Residency residency(std::string_view architecture, const RegisterLimits &limits, unsigned waveSize, uint32_t threads,
                    uint32_t lds);

/// Why a launch cannot begin; empty if it can.
std::string launchRefusal(const Module &module, std::string_view kernel, const LaunchConfig &config,
                          std::string_view kernargs);
LaunchResult launchKernel(Memory &memory, const Module &module, std::string_view name, const LaunchConfig &config,
                          std::string_view kernargs);

LaunchResult launchKernels(Memory &memory, std::span<const DeviceLaunch> launches);

} // namespace fly::emulator
