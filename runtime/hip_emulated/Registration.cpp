// What clang puts into programs with kernels of their own (`-x hip`, `kernel<<<grid, block>>>(...)`): constructors that
// register the embedded bundle, its kernels and variables under addresses of the host. A bundle is loaded on a device
// when something in it is first used there.
#include "runtime/hip_emulated/Launches.h"
#include "runtime/hip_emulated/Streams.h"

namespace fly::hip_emulated {

namespace {

constexpr uint32_t wrapperMagic = 0x48495046; // "HIPF"
struct Wrapper {
  uint32_t magic, version;
  const void *bundle;
  void *unused;
};

struct Bundle {
  const void *image = nullptr;
  std::map<int, std::shared_ptr<LoadedModule>> loaded; ///< by device
};
struct Registered {
  Bundle *bundle;
  std::string name;
};
struct Configuration {
  dim3 grid, block;
  size_t ldsBytes;
  hipStream_t stream;
};

struct Registry {
  std::map<const void *, std::unique_ptr<Bundle>> bundles;
  std::map<const void *, Registered> functions, variables;
};
Registry &registry() {
  static auto *all = new Registry;
  return *all;
}
thread_local std::vector<Configuration> configurations;

/// The bundle on a device. Called with State::lock held, which is released for a moment: a device's lock must be taken
/// before it.
hipError_t loadedOn(Bundle &bundle, int device, std::shared_ptr<LoadedModule> &module) {
  auto found = bundle.loaded.find(device);
  if (found != bundle.loaded.end() && found->second->module) { // a reset of the device unloads it
    module = found->second;
    return hipSuccess;
  }
  State &s = state();
  s.lock.unlock();
  Guard running(s.devices[device]->running);
  s.lock.lock();
  if (auto again = bundle.loaded.find(device); again != bundle.loaded.end() && again->second->module) {
    module = again->second;
    return hipSuccess;
  }
  if (hipError_t error = loadModule(bundle.image, device, module); error != hipSuccess) return error;
  for (auto &[name, kernel] : module->kernels) s.kernels[&kernel] = &kernel;
  s.modules[module.get()] = module;
  bundle.loaded[device] = module;
  return hipSuccess;
}

} // namespace

const LoadedKernel *registeredKernel(const void *hostFunction) {
  if (const LoadedKernel *kernel = kernelOf(hostFunction)) return kernel;
  auto found = registry().functions.find(hostFunction);
  std::shared_ptr<LoadedModule> module;
  if (found == registry().functions.end() || !isDevice(thread().device)) return nullptr;
  if (loadedOn(*found->second.bundle, thread().device, module) != hipSuccess) return nullptr;
  auto kernel = module->kernels.find(found->second.name);
  return kernel == module->kernels.end() ? nullptr : &kernel->second;
}

hipError_t registeredVariable(const void *shadow, void **address, size_t *bytes) {
  auto found = registry().variables.find(shadow);
  if (found == registry().variables.end()) return hipErrorInvalidSymbol;
  if (!isDevice(thread().device)) return hipErrorNoDevice;
  std::shared_ptr<LoadedModule> module;
  if (hipError_t error = loadedOn(*found->second.bundle, thread().device, module); error != hipSuccess) return error;
  auto variable = emulator::moduleVariable(*module->module, found->second.name);
  if (!variable) return hipErrorInvalidSymbol;
  if (address) *address = reinterpret_cast<void *>(variable->address);
  if (bytes) *bytes = variable->bytes;
  state().allocations.try_emplace(
      variable->address, Allocation{module->device, variable->bytes, MemoryKind::Variable, 0, nullptr, module.get()});
  return hipSuccess;
}

} // namespace fly::hip_emulated

using namespace fly::hip_emulated;

/// Null for what is not a bundle; kernels and variables of it are then unknown.
FLY_HIP_EXPORT void **__hipRegisterFatBinary(const void *data) {
  Guard guard(state().lock);
  auto *wrapper = static_cast<const Wrapper *>(data);
  if (!wrapper || wrapper->magic != wrapperMagic) return nullptr;
  auto bundle = std::make_unique<Bundle>();
  bundle->image = wrapper->bundle;
  auto **handle = reinterpret_cast<void **>(bundle.get());
  registry().bundles[handle] = std::move(bundle);
  return handle;
}
FLY_HIP_EXPORT void __hipUnregisterFatBinary(void **handle) {
  Guard guard(state().lock);
  auto of = [&](auto &entry) { return entry.second.bundle == reinterpret_cast<Bundle *>(handle); };
  std::erase_if(registry().functions, of);
  std::erase_if(registry().variables, of);
  registry().bundles.erase(handle);
}
FLY_HIP_EXPORT void __hipRegisterFunction(void **handle, const void *hostFunction, char *, const char *name,
                                          unsigned int, void *, void *, void *, void *, int *) {
  Guard guard(state().lock);
  if (name && registry().bundles.count(handle))
    registry().functions[hostFunction] = {reinterpret_cast<Bundle *>(handle), name};
}
FLY_HIP_EXPORT void __hipRegisterVar(void **handle, void *shadow, char *, char *name, int, size_t, int, int) {
  Guard guard(state().lock);
  if (name && registry().bundles.count(handle))
    registry().variables[shadow] = {reinterpret_cast<Bundle *>(handle), name};
}

FLY_HIP_EXPORT hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t ldsBytes, hipStream_t stream) {
  configurations.push_back({grid, block, ldsBytes, stream});
  return hipSuccess;
}
FLY_HIP_EXPORT hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *ldsBytes, hipStream_t *stream) {
  if (configurations.empty()) return hipErrorMissingConfiguration;
  Configuration c = configurations.back();
  configurations.pop_back();
  *grid = c.grid;
  *block = c.block;
  *ldsBytes = c.ldsBytes;
  *stream = c.stream;
  return hipSuccess;
}

FLY_HIP_EXPORT hipError_t hipGetSymbolAddress(void **address, const void *symbol) {
  return locked([&](Guard &) { return address ? registeredVariable(symbol, address, nullptr) : hipErrorInvalidValue; });
}
FLY_HIP_EXPORT hipError_t hipGetSymbolSize(size_t *bytes, const void *symbol) {
  return locked([&](Guard &) { return bytes ? registeredVariable(symbol, nullptr, bytes) : hipErrorInvalidValue; });
}

static hipError_t symbolCopy(const void *symbol, void *host, size_t bytes, size_t offset, hipMemcpyKind kind,
                             hipStream_t stream, bool toSymbol, bool waits) {
  void *address = nullptr;
  size_t size = 0;
  hipError_t error = locked([&](Guard &) { return registeredVariable(symbol, &address, &size); });
  if (error != hipSuccess) return error;
  if (offset > size || bytes > size - offset) return done(hipErrorInvalidValue);
  char *there = static_cast<char *>(address) + offset;
  void *to = toSymbol ? there : host;
  const void *from = toSymbol ? host : there;
  return waits ? hipMemcpy(to, from, bytes, kind) : hipMemcpyAsync(to, from, bytes, kind, stream);
}
FLY_HIP_EXPORT hipError_t hipMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                                            hipMemcpyKind kind) {
  return symbolCopy(symbol, const_cast<void *>(from), bytes, offset, kind, nullptr, true, true);
}
FLY_HIP_EXPORT hipError_t hipMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                              hipMemcpyKind kind) {
  return symbolCopy(symbol, to, bytes, offset, kind, nullptr, false, true);
}
FLY_HIP_EXPORT hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                                 hipMemcpyKind kind, hipStream_t stream) {
  return symbolCopy(symbol, const_cast<void *>(from), bytes, offset, kind, stream, true, false);
}
FLY_HIP_EXPORT hipError_t hipMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                                   hipMemcpyKind kind, hipStream_t stream) {
  return symbolCopy(symbol, to, bytes, offset, kind, stream, false, false);
}

FLY_HIP_EXPORT hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, const void *function) {
  return locked([&](Guard &) {
    const LoadedKernel *kernel = registeredKernel(function);
    if (!attributes) return hipErrorInvalidValue;
    if (!kernel) return hipErrorInvalidDeviceFunction;
    *attributes = {};
    attributes->localSizeBytes = kernel->properties.scratchBytes;
    attributes->sharedSizeBytes = kernel->properties.ldsBytes;
    attributes->maxThreadsPerBlock = static_cast<int>(kernel->properties.maxWorkgroupSize);
    attributes->maxDynamicSharedSizeBytes = mostDynamicLds(*kernel);
    attributes->numRegs = static_cast<int>(kernel->properties.vgprs);
    return hipSuccess;
  });
}
/// ROCm 6; its header is newer than the one this is compiled with.
FLY_HIP_EXPORT hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *symbol) {
  return locked([&](Guard &) {
    if (!function || !symbol) return hipErrorInvalidValue;
    const LoadedKernel *kernel = registeredKernel(symbol);
    if (!kernel) return hipErrorInvalidDeviceFunction;
    *function = reinterpret_cast<hipFunction_t>(const_cast<LoadedKernel *>(kernel));
    return hipSuccess;
  });
}

namespace {
/// Hints, which GPUs of AMD ignore.
hipError_t hint(const void *function, bool isKnown) {
  return done(!function ? hipErrorInvalidDeviceFunction : isKnown ? hipSuccess : hipErrorInvalidValue);
}
} // namespace
FLY_HIP_EXPORT hipError_t hipFuncSetAttribute(const void *function, hipFuncAttribute attribute, int) {
  return hint(function, attribute == hipFuncAttributeMaxDynamicSharedMemorySize ||
                            attribute == hipFuncAttributePreferredSharedMemoryCarveout);
}
FLY_HIP_EXPORT hipError_t hipFuncSetCacheConfig(const void *function, hipFuncCache_t config) {
  return hint(function, static_cast<unsigned>(config) <= hipFuncCachePreferEqual);
}
FLY_HIP_EXPORT hipError_t hipFuncSetSharedMemConfig(const void *function, hipSharedMemConfig config) {
  return hint(function, static_cast<unsigned>(config) <= hipSharedMemBankSizeEightByte);
}
