// Modules: code objects, alone or in the bundles that clang makes. HIP passes them without their size, so it is first
// read from the headers, as the ROCm loader does; after that nothing is read outside of it.
#include "runtime/hip_emulated/Streams.h"

#include "compiler/isa/CodeObject.h"
#include "compiler/target/Target.h"

#include <cstring>
#include <fstream>
#include <sstream>

namespace fly::hip_emulated {

namespace {

constexpr size_t elfHeaderBytes = 64;
constexpr uint64_t largestCodeObject = uint64_t(1) << 30;
/// clang-offload-bundler: this, a count, then for each entry offset, size, length of its name, name.
constexpr std::string_view bundleMagic = "__CLANG_OFFLOAD_BUNDLE__", compressedMagic = "CCOB";
constexpr uint64_t mostEntries = 256, longestName = 4096;

template <typename T> T field(const char *bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof value);
  return value;
}

/// Bytes of an ELF file in memory: lld writes the section headers last. 0 when it is not one.
uint64_t elfSize(const char *image) {
  if (std::memcmp(image, "\177ELF\2\1", 6) != 0) return 0;
  uint64_t sections = field<uint64_t>(image, 40);
  uint64_t end = sections + uint64_t(field<uint16_t>(image, 58)) * field<uint16_t>(image, 60);
  return sections > largestCodeObject || end < elfHeaderBytes ? 0 : end;
}

/// "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-": the processor in it.
std::string_view processorOf(std::string_view name) {
  size_t at = name.rfind("gfx");
  return at == name.npos ? std::string_view() : name.substr(at, name.find(':', at) - at);
}

/// The part of a bundle that is for the emulated architecture, within `limit` bytes.
hipError_t fromBundle(const char *image, uint64_t limit, std::string_view &part) {
  uint64_t at = bundleMagic.size();
  if (limit < at + 8) return hipErrorInvalidImage;
  uint64_t count = field<uint64_t>(image, at);
  at += 8;
  if (count > mostEntries) return hipErrorInvalidImage;
  std::string present;
  for (uint64_t i = 0; i < count; ++i) {
    if (limit < at + 24) return hipErrorInvalidImage;
    uint64_t offset = field<uint64_t>(image, at), size = field<uint64_t>(image, at + 8),
             length = field<uint64_t>(image, at + 16);
    if (length > longestName || limit - at - 24 < length) return hipErrorInvalidImage;
    std::string_view processor = processorOf({image + at + 24, length});
    at += 24 + length;
    if (offset > limit || size > limit - offset) return hipErrorInvalidImage;
    if (processor == state().architectureName) {
      part = {image + offset, size};
      return hipSuccess;
    }
    if (!processor.empty()) present += (present.empty() ? "" : ", ") + std::string(processor);
  }
  return refuse(hipErrorNoBinaryForGpu, "no code for " + state().architectureName + "; there is code for " +
                                            (present.empty() ? "none" : present));
}

} // namespace

hipError_t loadModule(std::string_view bytes, int device, std::shared_ptr<LoadedModule> &module) {
  if (bytes.substr(0, bundleMagic.size()) == bundleMagic)
    if (hipError_t error = fromBundle(bytes.data(), bytes.size(), bytes); error != hipSuccess) return error;
  if (bytes.substr(0, compressedMagic.size()) == compressedMagic)
    return refuse(hipErrorInvalidImage, "a compressed bundle; compile with --no-offload-compress");
  auto object = isa::CodeObject::read(llvm::StringRef(bytes.data(), bytes.size()));
  if (!object) return refuse(hipErrorInvalidImage, llvm::toString(object.takeError()));
  if (object->architecture() != state().architectureName)
    return refuse(hipErrorNoBinaryForGpu, "the code object is for " + object->architecture() + ", but the device is " +
                                              state().architectureName);
  auto loaded = std::make_shared<LoadedModule>();
  loaded->device = device;
  std::string error;
  loaded->module = state().devices[device]->device->load(bytes, error);
  if (!loaded->module) return refuse(hipErrorInvalidImage, error);
  for (const std::string &name : emulator::kernelNames(*loaded->module)) {
    LoadedKernel &kernel = loaded->kernels[name];
    kernel.module = loaded.get();
    kernel.name = name;
    if (auto properties = emulator::kernelProperties(*loaded->module, name)) kernel.properties = *properties;
    if (const isa::Kernel *known = object->find(name)) {
      kernel.argumentBytes = known->explicitKernargSize();
      for (const isa::KernelArgument &argument : known->arguments)
        if (!argument.hidden()) kernel.arguments.push_back({argument.offset, argument.size});
    }
  }
  module = loaded;
  return hipSuccess;
}

hipError_t loadModule(const void *image, int device, std::shared_ptr<LoadedModule> &module) {
  const char *bytes = static_cast<const char *>(image);
  if (std::memcmp(bytes, "\177ELF", 4) == 0) {
    uint64_t size = elfSize(bytes);
    return size ? loadModule(std::string_view(bytes, size), device, module) : hipErrorInvalidImage;
  }
  if (std::memcmp(bytes, compressedMagic.data(), compressedMagic.size()) == 0)
    return refuse(hipErrorInvalidImage, "a compressed bundle; compile with --no-offload-compress");
  if (std::memcmp(bytes, bundleMagic.data(), bundleMagic.size()) != 0) return hipErrorInvalidImage;
  std::string_view part;
  hipError_t error = fromBundle(bytes, largestCodeObject, part);
  return error == hipSuccess ? loadModule(part, device, module) : error;
}

/// None of its kernels is running, and the device's lock is held.
void unloadModule(LoadedModule &module) {
  State &s = state();
  std::erase_if(s.allocations, [&](auto &entry) {
    if (entry.second.module != &module) return false;
    s.shared->remove(entry.first);
    return true;
  });
  for (auto &[name, kernel] : module.kernels) s.kernels.erase(&kernel);
  module.module.reset();
}

const LoadedKernel *kernelOf(const void *function) {
  auto found = state().kernels.find(function);
  return found == state().kernels.end() ? nullptr : found->second;
}

namespace {

/// `image`: its bytes, or where they begin.
template <typename Image> hipError_t load(hipModule_t *result, const Image &image) {
  int device = thread().device;
  if (!isDevice(device)) return done(hipErrorNoDevice);
  Guard running(state().devices[device]->running);
  return locked([&](Guard &) {
      if (hipError_t error = unsafeCall(); error != hipSuccess) return error;
    std::shared_ptr<LoadedModule> module;
    if (hipError_t error = loadModule(image, device, module); error != hipSuccess) return error;
    for (auto &[name, kernel] : module->kernels) state().kernels[&kernel] = &kernel;
    *result = reinterpret_cast<hipModule_t>(module.get());
    state().modules[module.get()] = module;
    return hipSuccess;
  });
}

} // namespace

} // namespace fly::hip_emulated

using namespace fly::hip_emulated;

FLY_HIP_EXPORT hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
  return module && image ? load(module, image) : done(hipErrorInvalidValue);
}
/// The options are for compilers of intermediate code; there is nothing to compile.
FLY_HIP_EXPORT hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned int, hipJitOption *,
                                              void **) {
  return hipModuleLoadData(module, image);
}
FLY_HIP_EXPORT hipError_t hipModuleLoadFatBinary(hipModule_t *module, const void *image) {
  return hipModuleLoadData(module, image);
}

FLY_HIP_EXPORT hipError_t hipModuleLoad(hipModule_t *module, const char *path) {
  if (!module || !path) return done(hipErrorInvalidValue);
  std::ifstream file(path, std::ios::binary);
  if (!file) return done(refuse(hipErrorFileNotFound, std::string(path) + ": cannot be read"));
  std::ostringstream content;
  content << file.rdbuf();
  std::string bytes = content.str();
  return load(module, std::string_view(bytes));
}

/// Waits for the device: what still uses the module ends first.
FLY_HIP_EXPORT hipError_t hipModuleUnload(hipModule_t handle) {
  std::shared_ptr<LoadedModule> module;
  hipError_t error = locked([&](Guard &guard) {
    if (hipError_t forbidden = unsafeCall(); forbidden != hipSuccess) return forbidden;
    auto found = state().modules.find(handle);
    if (found == state().modules.end()) return hipErrorInvalidHandle;
    int device = found->second->device;
    waitForDevice(guard, device);
    found = state().modules.find(handle); // another thread may have been faster
    if (found == state().modules.end()) return hipErrorInvalidHandle;
    module = found->second;
    state().modules.erase(found);
    return hipSuccess;
  });
  if (!module) return error;
  Guard running(state().devices[module->device]->running), guard(state().lock);
  unloadModule(*module);
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name) {
  return locked([&](Guard &) {
    if (!function || !name) return hipErrorInvalidValue;
    auto found = state().modules.find(module);
    if (found == state().modules.end()) return hipErrorInvalidHandle;
    auto kernel = found->second->kernels.find(name);
    if (kernel == found->second->kernels.end())
      return refuse(hipErrorNotFound, "the module has no kernel `" + std::string(name) + "`");
    *function = reinterpret_cast<hipFunction_t>(&kernel->second);
    return hipSuccess;
  });
}
FLY_HIP_EXPORT hipError_t hipModuleGetFunctionCount(unsigned int *count, hipModule_t module) {
  return locked([&](Guard &) {
    auto found = state().modules.find(module);
    if (!count) return hipErrorInvalidValue;
    if (found == state().modules.end()) return hipErrorInvalidHandle;
    *count = static_cast<unsigned>(found->second->kernels.size());
    return hipSuccess;
  });
}

FLY_HIP_EXPORT hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes, hipModule_t handle,
                                             const char *name) {
  return locked([&](Guard &) {
    if (!name || (!pointer && !bytes)) return hipErrorInvalidValue;
    auto found = state().modules.find(handle);
    if (found == state().modules.end()) return hipErrorInvalidHandle;
    LoadedModule &module = *found->second;
    auto variable = fly::emulator::moduleVariable(*module.module, name);
    if (!variable) return refuse(hipErrorNotFound, "the module has no variable `" + std::string(name) + "`");
    if (pointer) *pointer = reinterpret_cast<hipDeviceptr_t>(variable->address);
    if (bytes) *bytes = variable->bytes;
    // Copies find it as they find an allocation.
    Allocation a{module.device, variable->bytes, MemoryKind::Variable, 0, nullptr, &module};
    state().allocations.try_emplace(variable->address, a);
    return hipSuccess;
  });
}

FLY_HIP_EXPORT hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute, hipFunction_t function) {
  return locked([&](Guard &) {
    const LoadedKernel *kernel = kernelOf(function);
    if (!value) return hipErrorInvalidValue;
    if (!kernel) return hipErrorInvalidDeviceFunction;
    const fly::emulator::KernelProperties &p = kernel->properties;
    switch (attribute) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = static_cast<int>(p.maxWorkgroupSize); break;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = static_cast<int>(p.ldsBytes); break;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = static_cast<int>(p.scratchBytes); break;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS: *value = static_cast<int>(p.vgprs); break;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = static_cast<int>(state().target->ldsBytes - p.ldsBytes);
      break;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA: case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = 0; break;
    default: return hipErrorInvalidValue;
    }
    return hipSuccess;
  });
}
