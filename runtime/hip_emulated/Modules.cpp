// Modules and launches. HIP gives a code object without its size, so that is read from the ELF header first, as the
// ROCm loader does; from then on nothing is read outside of it.
#include "runtime/hip_emulated/HipEmulated.h"

#include "compiler/isa/CodeObject.h"

#include <cstring>
#include <fstream>
#include <sstream>

using namespace fly::hip_emulated;

namespace {

constexpr size_t elfHeaderBytes = 64;
constexpr uint64_t largestCodeObject = uint64_t(1) << 30;

template <typename T> T field(const char *bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

/// Bytes of an ELF file in memory: lld writes the section headers last. 0 when it is not one.
uint64_t elfSize(const char *image) {
  if (std::memcmp(image, "\177ELF\2\1", 6) != 0)
    return 0;
  uint64_t sections = field<uint64_t>(image, 40);
  uint64_t end = sections + uint64_t(field<uint16_t>(image, 58)) * field<uint16_t>(image, 60);
  return sections > largestCodeObject || end < elfHeaderBytes ? 0 : end;
}

hipError_t load(hipModule_t *result, std::string_view bytes) {
  if (state().devices.empty())
    return hipErrorNoDevice;
  auto object = fly::isa::CodeObject::read(llvm::StringRef(bytes.data(), bytes.size()));
  if (!object) {
    thread().report = llvm::toString(object.takeError());
    return hipErrorInvalidImage;
  }
  if (object->architecture() != state().architectureName)
    return hipErrorNoBinaryForGpu;
  auto loaded = std::make_unique<LoadedModule>();
  loaded->device = thread().device;
  std::string error;
  loaded->module = state().devices[loaded->device]->load(bytes, error);
  if (!loaded->module) {
    thread().report = error;
    return hipErrorInvalidImage;
  }
  for (const std::string &name : fly::emulator::kernelNames(*loaded->module)) {
    LoadedKernel &kernel = loaded->kernels[name];
    kernel.module = loaded.get();
    kernel.name = name;
    if (const fly::isa::Kernel *known = object->find(name)) {
      kernel.argumentBytes = known->explicitKernargSize();
      for (const fly::isa::KernelArgument &argument : known->arguments)
        if (!argument.hidden())
          kernel.arguments.push_back({argument.offset, argument.size});
    }
  }
  *result = reinterpret_cast<hipModule_t>(loaded.get());
  state().modules[loaded.get()] = std::move(loaded);
  return hipSuccess;
}

/// The argument block from either of HIP's two ways to give it; false when neither is there.
bool gatherArguments(const LoadedKernel &kernel, void **parameters, void **extra, std::string &block) {
  if (extra) {
    const void *buffer = nullptr;
    size_t size = 0;
    for (int i = 0; i < 8 && extra[i] != HIP_LAUNCH_PARAM_END; i += 2) {
      if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
        buffer = extra[i + 1];
      else if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_SIZE)
        size = *static_cast<const size_t *>(extra[i + 1]);
      else
        return false;
    }
    if (!buffer && size)
      return false;
    block.assign(static_cast<const char *>(buffer), size);
  } else if (parameters || kernel.arguments.empty()) {
    block.assign(kernel.argumentBytes, '\0');
    for (size_t i = 0; i < kernel.arguments.size(); ++i) {
      const ArgumentSlot &slot = kernel.arguments[i];
      if (!parameters[i] || uint64_t(slot.offset) + slot.size > block.size())
        return false;
      std::memcpy(block.data() + slot.offset, parameters[i], slot.size);
    }
  } else {
    return false;
  }
  return block.size() >= kernel.argumentBytes;
}

const LoadedKernel *kernelOf(hipFunction_t function) {
  for (auto &[handle, module] : state().modules)
    for (auto &[name, kernel] : module->kernels)
      if (reinterpret_cast<hipFunction_t>(&kernel) == function)
        return &kernel;
  return nullptr;
}

} // namespace

FLY_HIP_EXPORT hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
  if (!module || !image)
    return done(hipErrorInvalidValue);
  std::lock_guard<std::mutex> guard(state().lock);
  thread().report.clear();
  uint64_t size = elfSize(static_cast<const char *>(image));
  return done(size ? load(module, {static_cast<const char *>(image), size}) : hipErrorInvalidImage);
}

FLY_HIP_EXPORT hipError_t hipModuleLoad(hipModule_t *module, const char *path) {
  if (!module || !path)
    return done(hipErrorInvalidValue);
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return done(hipErrorFileNotFound);
  std::ostringstream content;
  content << file.rdbuf();
  std::lock_guard<std::mutex> guard(state().lock);
  thread().report.clear();
  return done(load(module, content.str()));
}

FLY_HIP_EXPORT hipError_t hipModuleUnload(hipModule_t module) {
  std::lock_guard<std::mutex> guard(state().lock);
  std::erase_if(state().allocations, [&](auto &entry) { return entry.second.module && entry.second.module == module; });
  return done(state().modules.erase(module) ? hipSuccess : hipErrorInvalidHandle);
}

FLY_HIP_EXPORT hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name) {
  if (!function || !name)
    return done(hipErrorInvalidValue);
  std::lock_guard<std::mutex> guard(state().lock);
  auto found = state().modules.find(module);
  if (found == state().modules.end())
    return done(hipErrorInvalidHandle);
  auto kernel = found->second->kernels.find(name);
  if (kernel == found->second->kernels.end())
    return done(hipErrorNotFound);
  *function = reinterpret_cast<hipFunction_t>(&kernel->second);
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes, hipModule_t module, const char *name) {
  if (!name || (!pointer && !bytes))
    return done(hipErrorInvalidValue);
  std::lock_guard<std::mutex> guard(state().lock);
  auto found = state().modules.find(module);
  if (found == state().modules.end())
    return done(hipErrorInvalidHandle);
  auto variable = fly::emulator::moduleVariable(*found->second->module, name);
  if (!variable)
    return done(hipErrorNotFound);
  if (pointer)
    *pointer = reinterpret_cast<hipDeviceptr_t>(variable->address);
  if (bytes)
    *bytes = variable->bytes;
  // Copies find it as they find an allocation.
  state().allocations.try_emplace(variable->address, State::Allocation{found->second->device, variable->bytes, module});
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int gridX, unsigned int gridY,
                                                unsigned int gridZ, unsigned int blockX, unsigned int blockY,
                                                unsigned int blockZ, unsigned int sharedBytes, hipStream_t stream,
                                                void **parameters, void **extra) {
  std::lock_guard<std::mutex> guard(state().lock);
  thread().report.clear();
  const LoadedKernel *kernel = kernelOf(function);
  if (!kernel || (stream && !state().streams.count(stream)))
    return done(hipErrorInvalidHandle);
  if (!gridX || !gridY || !gridZ || !blockX || !blockY || !blockZ)
    return done(hipErrorInvalidConfiguration);
  std::string arguments;
  if (!gatherArguments(*kernel, parameters, extra, arguments))
    return done(hipErrorInvalidValue);
  fly::emulator::LaunchConfig config;
  config.grid = {gridX, gridY, gridZ};
  config.block = {blockX, blockY, blockZ};
  config.dynamicLdsBytes = sharedBytes;
  fly::emulator::LaunchResult result =
      state().devices[kernel->module->device]->launch(*kernel->module->module, kernel->name, config, arguments);
  fwrite(result.output.data(), 1, result.output.size(), stdout); // of kernels whose launcher gave them no memory of its own
  fflush(stdout);
  if (result.ok)
    return hipSuccess;
  thread().report = result.report;
  switch (result.fault) {
  case fly::emulator::FaultKind::OutOfBounds: return done(hipErrorIllegalAddress);
  default: return done(hipErrorLaunchFailure);
  }
}
