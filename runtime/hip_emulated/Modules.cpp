// Modules: code objects, alone or in the bundles that clang makes, compressed or not. HIP passes them without their
// size, so it is first read from the headers, as the ROCm loader does. A damaged header must not make that read memory
// that is not there, so the kernel is asked before any of it is touched (ImageMemory.h).
#include "runtime/hip_emulated/ImageMemory.h"
#include "runtime/hip_emulated/Streams.h"

#include "compiler/container/Bundle.h"
#include "compiler/container/InMemory.h"
#include "compiler/isa/CodeObject.h"
#include "compiler/target/Target.h"

#include <fstream>
#include <sstream>

namespace fly::hip_emulated {

namespace {

/// The code object of a bundle for the emulated architecture; of several the one that does not need XNACK, which the
/// emulated devices do not have on.
hipError_t fromBundle(llvm::StringRef bytes, std::string_view &part) {
  auto bundle = container::readBundle(bytes);
  if (!bundle) return refuse(hipErrorInvalidImage, llvm::toString(bundle.takeError()));
  const container::BundleEntry *found = nullptr;
  std::string present;
  for (const container::BundleEntry &entry : bundle->entries) {
    llvm::StringRef processor = container::processorOf(entry.id);
    if (entry.bytes.empty() || processor.empty()) continue;
    if (processor == state().architectureName && (!found || found->id.contains("xnack+"))) found = &entry;
    present += (present.empty() ? "" : ", ") + processor.str();
  }
  if (!found)
    return refuse(hipErrorNoBinaryForGpu, "no code for " + state().architectureName + "; there is code for " +
                                              (present.empty() ? "none" : present));
  part = found->bytes;
  return hipSuccess;
}

} // namespace

hipError_t loadModule(std::string_view bytes, int device, std::shared_ptr<LoadedModule> &module) {
  std::unique_ptr<llvm::MemoryBuffer> inflated;
  if (container::isCompressedBundle(bytes)) {
    auto header = container::readCompressedHeader(bytes);
    if (!header) return refuse(hipErrorInvalidImage, llvm::toString(header.takeError()));
    auto plain = container::inflate(bytes, *header, container::mostInflated);
    if (!plain) return refuse(hipErrorInvalidImage, llvm::toString(plain.takeError()));
    inflated = std::move(*plain);
    bytes = inflated->getBuffer();
  }
  if (container::isPlainBundle(bytes))
    if (hipError_t error = fromBundle(bytes, bytes); error != hipSuccess) return error;
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
  if (state().broken) emulator::breakOp(*loaded->module, state().broken);
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
  ImageMemory memory(bytes);
  auto size = container::sizeInMemory(bytes, [&](uint64_t offset, uint64_t n) { return memory.isReadable(offset, n); });
  if (!size) return refuse(hipErrorInvalidImage, llvm::toString(size.takeError()));
  return loadModule(std::string_view(bytes, *size), device, module);
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

int mostDynamicLds(const LoadedKernel &kernel) {
  return static_cast<int>(state().target->ldsBytes - kernel.properties.ldsBytes);
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
    if (hipError_t stuck = waitForDevice(guard, device); stuck != hipSuccess) return stuck;
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
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = mostDynamicLds(*kernel); break;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
    case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = 0; break;
    default: return hipErrorInvalidValue;
    }
    return hipSuccess;
  });
}
