// The public API over memory, loader and launcher.
#include "runtime/emulator/Emulator.h"

#include "runtime/emulator/launch/Module.h"

#include "compiler/target/Target.h"

#include <algorithm>

namespace fly::emulator {

struct Device::Impl {
  const Architecture &arch;
  std::shared_ptr<Memory> memory;
};

Device::Device(const Architecture &arch, unsigned number, std::shared_ptr<SharedMemory> shared)
    : impl(new Impl{arch, std::make_shared<Memory>(number, std::move(shared))}) {}
Device::~Device() = default;
const Architecture &Device::architecture() const { return impl->arch; }

uint64_t Device::allocate(uint64_t bytes, std::string name, Contents contents) {
  return impl->memory->allocate(bytes, std::move(name), contents == Contents::Poison);
}
bool Device::free(uint64_t address) { return impl->memory->free(address); }
bool Device::write(uint64_t address, const void *from, uint64_t bytes) {
  if (bytes == 0) return true;
  uint8_t *p = impl->memory->host(address, bytes);
  if (p) std::memcpy(p, from, bytes);
  return p;
}
bool Device::read(uint64_t address, void *to, uint64_t bytes) const {
  if (bytes == 0) return true;
  const uint8_t *p = impl->memory->host(address, bytes);
  if (p) std::memcpy(to, p, bytes);
  return p;
}
bool Device::fill(uint64_t address, uint8_t value, uint64_t bytes) {
  if (bytes == 0) return true;
  uint8_t *p = impl->memory->host(address, bytes);
  if (p && !(value == 0 && impl->memory->giveBack(address, bytes))) std::memset(p, value, bytes);
  return p;
}
void *Device::hostPointer(uint64_t address, uint64_t bytes) { return impl->memory->host(address, bytes); }

int Device::exportToFile(uint64_t address) { return impl->memory->exportToFile(address); }
uint64_t Device::reserve(uint64_t bytes) { return impl->memory->reserve(bytes); }

uint64_t Device::bytesInUse() const { return impl->memory->bytesInUse(); }
uint64_t Device::bytesInAll() const { return impl->memory->bytesInAll(); }

std::string Device::refusal(const Module &module, std::string_view kernel, const LaunchConfig &config,
                            std::string_view kernargs) {
  return launchRefusal(module, kernel, config, kernargs);
}

std::shared_ptr<Module> Device::load(std::string_view codeObject, std::string &error) {
  return loadModule(impl->memory, impl->arch, codeObject, error);
}

static LaunchResult loadedElsewhere(std::string_view kernel) {
  LaunchResult r;
  r.report.kind = FaultKind::BadLaunch;
  r.report.what = "cannot launch kernel `" + std::string(kernel) + "`: its module was loaded on another device";
  return r;
}

/// What a kernel of the module has printed.
static void takeOutput(const Module &module, const Memory &memory, std::string &output) {
  if (!module.ring) return;
  fly_output_drain(
      &module.output, module.ringVariable, reinterpret_cast<uint32_t *>(memory.host(module.ring, 8)),
      [](void *text, const char *part, size_t bytes) { static_cast<std::string *>(text)->append(part, bytes); },
      &output);
}

LaunchResult Device::launch(const Module &module, std::string_view kernel, const LaunchConfig &config,
                            std::string_view kernargs) {
  if (module.memory != impl->memory) return loadedElsewhere(kernel);
  LaunchConfig bounded = config;
  if (module.broken) {
    if (!config.instructionLimit) bounded.instructionLimit = 4 * module.longestLaunch + 10000;
    bounded.threads = 1; // whether a test notices must not depend on which thread is first
  }
  LaunchResult result = launchKernel(*impl->memory, module, kernel, bounded, kernargs);
  takeOutput(module, *impl->memory, result.output);
  if (!module.broken) module.longestLaunch = std::max(module.longestLaunch, result.waveInstructions);
  else module.faulted |= !result.ok;
  return result;
}

LaunchResult Device::launchTogether(std::span<const DeviceLaunch> launches) {
  for (const DeviceLaunch &each : launches)
    if (each.module.memory != impl->memory) return loadedElsewhere(each.kernel);
  LaunchResult result = launchKernels(*impl->memory, launches);
  for (const DeviceLaunch &each : launches) {
    takeOutput(each.module, *impl->memory, result.output);
    each.module.faulted |= !result.ok;
  }
  return result;
}

std::optional<ModuleVariable> moduleVariable(const Module &module, std::string_view name) {
  const isa::Symbol *symbol = module.object.findSymbol({name.data(), name.size()});
  if (!symbol || symbol->size == 0 || !module.memory->find(symbol->address + module.bias, symbol->size))
    return std::nullopt;
  return ModuleVariable{symbol->address + module.bias, symbol->size};
}

std::vector<std::string> kernelNames(const Module &module) {
  std::vector<std::string> names;
  for (const isa::Kernel &k : module.object.kernels()) names.push_back(k.name);
  return names;
}

std::optional<KernelProperties> kernelProperties(const Module &module, std::string_view kernel) {
  const isa::Kernel *k = module.object.find(llvm::StringRef(kernel.data(), kernel.size()));
  if (!k) return std::nullopt;
  RegisterLimits limits = registerLimits(*module.arch, *k);
  KernelProperties p;
  p.name = k->name;
  p.kernargBytes = std::max(k->kernargSegmentSize, k->descriptor.kernargSize);
  p.explicitKernargBytes = k->hasMetadata ? k->explicitKernargSize() : p.kernargBytes;
  p.ldsBytes = k->descriptor.groupSegmentFixedSize;
  p.scratchBytes = k->descriptor.privateSegmentFixedSize;
  p.maxWorkgroupSize = k->hasMetadata ? k->maxFlatWorkgroupSize : 1024;
  p.waveSize = k->waveSize;
  p.vgprs = std::min(limits.vgprs, limits.firstAgpr);
  p.agprs = limits.agprs;
  p.sgprs = limits.sgprs;
  return p;
}

uint32_t KernelProperties::residentWorkgroups(uint32_t threads, uint32_t lds, std::string_view architecture) const {
  if (threads == 0 || threads > maxWorkgroupSize) return 0;
  return emulator::residency(architecture, {vgprs, agprs, sgprs}, waveSize, threads, lds).workgroups;
}

} // namespace fly::emulator
