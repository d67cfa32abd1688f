// Launching: checks, kernel arguments, initial registers, and the scheduler of workgroups and waves.
//
// Workgroups run one after another. Within one, waves run in the chosen order, each until its next blocking point (a
// barrier, its end) or until a long quantum is over, so that a wave that spins on another's progress does not hang
// the emulator. When no wave can run and some have not ended, that is a deadlock.
#include "runtime/emulator/Module.h"
#include "runtime/emulator/Report.h"
#include "runtime/emulator/Text.h"

#include <algorithm>
#include <numeric>

namespace fly::emulator {

namespace {

constexpr uint64_t defaultInstructionLimit = 4'000'000'000, quantum = 1 << 20;

struct Launch {
  Memory &memory;
  const Module &module;
  const isa::Kernel &kernel;
  const LaunchConfig &config;
  const Architecture &arch;
  Program &program;
  LaunchResult result;
  uint64_t kernarg = 0, dispatch = 0, queue = 0;
  unsigned waveSize = 64;
  uint32_t ldsBytes = 0, scratchBytes = 0, threads = 0, waveCount = 0;
  std::vector<Wave *> waves;
  std::vector<std::unique_ptr<Wave>> storage;
  std::vector<uint32_t> vectorRegisters;
  std::vector<uint8_t> scratch, lds;
  Workgroup group;
  uint64_t seed = 0;

  Launch(Memory &memory, const Module &module, const isa::Kernel &kernel, const LaunchConfig &config,
         const Architecture &arch, Program &program)
      : memory(memory), module(module), kernel(kernel), config(config), arch(arch), program(program) {}
  ~Launch() {
    for (uint64_t a : {kernarg, dispatch, queue})
      if (a) memory.free(a);
  }
  bool fillKernargs(std::string_view explicitBytes, std::string &why);
  void fillDispatchPacket();
  void startWave(Wave &w, unsigned index);
  bool runGroup();
  bool finish(const Wave &w);
  uint64_t random();
};

uint64_t Launch::random() { // splitmix64
  uint64_t z = (seed += 0x9e3779b97f4a7c15ull);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

/// Hidden arguments, by `.value_kind`.
bool Launch::fillKernargs(std::string_view explicitBytes, std::string &why) {
  uint32_t size = std::max(kernel.kernargSegmentSize, kernel.descriptor.kernargSize);
  uint32_t expected = kernel.hasMetadata ? kernel.explicitKernargSize() : size;
  if (explicitBytes.size() < expected || explicitBytes.size() > std::max(size, expected)) {
    why = "the kernel takes " + std::to_string(expected) + " bytes of arguments, not " + std::to_string(explicitBytes.size());
    return false;
  }
  kernarg = memory.allocate(std::max<uint32_t>(size, 4), "kernel arguments", false, false);
  if (!kernarg) {
    why = "no memory for the kernel's arguments";
    return false;
  }
  uint8_t *p = memory.host(kernarg, size);
  std::memset(p, 0, size);
  std::memcpy(p, explicitBytes.data(), std::min<size_t>(explicitBytes.size(), size));
  const auto &grid = config.grid, &block = config.block;
  struct { std::string_view kind; uint64_t value; } values[] = {
      {"hidden_block_count_x", grid[0]}, {"hidden_block_count_y", grid[1]}, {"hidden_block_count_z", grid[2]},
      {"hidden_group_size_x", block[0]}, {"hidden_group_size_y", block[1]}, {"hidden_group_size_z", block[2]},
      {"hidden_remainder_x", 0}, {"hidden_remainder_y", 0}, {"hidden_remainder_z", 0},
      {"hidden_global_offset_x", 0}, {"hidden_global_offset_y", 0}, {"hidden_global_offset_z", 0},
      {"hidden_grid_dims", grid[2] * block[2] > 1 ? 3u : grid[1] * block[1] > 1 ? 2u : 1u},
      {"hidden_dynamic_lds_size", config.dynamicLdsBytes},
      {"hidden_private_base", privateAperture}, {"hidden_shared_base", sharedAperture}, {"hidden_queue_ptr", queue}};
  for (const isa::KernelArgument &a : kernel.arguments) {
    if (!a.hidden() || a.offset > size || a.size > size - a.offset) continue;
    for (const auto &v : values)
      if (v.kind == a.kind) std::memcpy(p + a.offset, &v.value, std::min<uint32_t>(a.size, 8));
  }
  return true;
}

void Launch::fillDispatchPacket() {
  struct Packet {
    uint16_t header = 2, setup = 3, block[3], reserved0 = 0;
    uint32_t grid[3], privateBytes, groupBytes;
    uint64_t kernelObject, kernarg, reserved2 = 0, completion = 0;
  } packet;
  static_assert(sizeof(Packet) == 64);
  for (unsigned k = 0; k < 3; ++k) {
    packet.block[k] = static_cast<uint16_t>(config.block[k]);
    packet.grid[k] = config.grid[k] * config.block[k];
  }
  packet.privateBytes = scratchBytes;
  packet.groupBytes = ldsBytes;
  packet.kernelObject = kernel.descriptorAddress + module.bias;
  packet.kernarg = kernarg;
  std::memcpy(memory.host(dispatch, 64), &packet, 64);
}

/// Registers as the hardware's dispatcher leaves them; everything else is poison.
void Launch::startWave(Wave &w, unsigned index) {
  const isa::KernelDescriptor &d = kernel.descriptor;
  uint32_t *vector = w.vector;
  w = Wave();
  w.vector = vector;
  w.index = index;
  w.program = &program;
  w.group = &group;
  w.memory = &memory;
  w.lanes = waveSize;
  w.laneMask = waveSize == 64 ? ~0ull : 0xffffffffull;
  w.scratchBytes = scratchBytes;
  w.scratch = scratch.data() + static_cast<size_t>(index) * waveSize * scratchBytes;
  std::fill(std::begin(w.scalar), std::end(w.scalar), poisonWord);
  std::memset(w.scalar + slot::zero, 0, 32 * 4);
  std::fill_n(vector, program.registerCount() * laneStride, poisonWord);
  if (scratchBytes) std::memset(w.scratch, poisonByte, static_cast<size_t>(waveSize) * scratchBytes);

  unsigned s = 0;
  auto put32 = [&](uint32_t v) { if (s < 106) w.scalar[s] = v; ++s; };
  auto put64 = [&](uint64_t v) { put32(static_cast<uint32_t>(v)); put32(static_cast<uint32_t>(v >> 32)); };
  if (d.privateSegmentBuffer) { put64(0); put64(0); }
  if (d.dispatchPtr) put64(dispatch);
  if (d.queuePtr) put64(queue);
  if (d.kernargSegmentPtr) put64(kernarg);
  if (d.dispatchId) put64(1);
  if (d.flatScratchInit) put64(0);
  if (d.privateSegmentSize) put32(scratchBytes);
  for (unsigned k = 0; k < d.preloadLength; ++k) {
    uint32_t v = 0;
    if (const uint8_t *p = memory.host(kernarg + 4ull * (d.preloadOffset + k), 4)) std::memcpy(&v, p, 4);
    put32(v);
  }
  s = std::max<unsigned>(s, d.userSgprs);
  if (arch.gfx12) {
    w.scalar[slot::ttmp + 9] = group.id[0];
    w.scalar[slot::ttmp + 7] = (group.id[1] & 0xffff) | group.id[2] << 16;
    w.scalar[slot::ttmp + 8] = (index & 31) << 25;
    w.scalar[slot::ttmp + 6] = 0;
  } else {
    if (d.workgroupIdX) put32(group.id[0]);
    if (d.workgroupIdY) put32(group.id[1]);
    if (d.workgroupIdZ) put32(group.id[2]);
    if (d.workgroupInfo) put32(0);
  }
  w.setScalar64(slot::flatScratch, static_cast<uint64_t>(arch.globalScratch ? globalScratchBase : privateAperture) << 32);
  w.scalar[slot::scc] = 0;
  w.scalar[slot::m0] = poisonWord;

  uint64_t exec = 0;
  for (unsigned l = 0; l < waveSize; ++l) {
    uint32_t thread = index * waveSize + l;
    uint32_t x = thread % config.block[0], y = thread / config.block[0] % config.block[1],
             z = thread / config.block[0] / config.block[1];
    if (thread < threads) exec |= 1ull << l;
    vector[l] = x | y << 10 | z << 20;
  }
  w.setScalar64(slot::exec, exec);
  w.mode.gfx12 = arch.gfx12;
  w.mode.set(d.roundMode32 | d.roundMode16_64 << 2 | d.denormMode32 << 4 | d.denormMode16_64 << 6 |
             (d.dx10Clamp ? 1u << 8 : 0) | (d.ieeeMode ? 1u << 9 : 0));
  uint64_t entry = kernel.entry + module.bias;
  if (arch.preloadPrologue && d.preloadLength) entry += 256;
  w.pc = program.indexOf(entry);
}

bool Launch::finish(const Wave &w) {
  reportFault(result, program, w, config);
  return false;
}

bool Launch::runGroup() {
  group.waves = waveCount;
  group.arrived = group.ended = 0;
  group.generation = 0;
  group.lds = lds.data();
  group.ldsBytes = ldsBytes;
  std::fill(lds.begin(), lds.end(), poisonByte);
  for (unsigned k = 0; k < waveCount; ++k) startWave(*waves[k], k);
  std::vector<unsigned> order(waveCount);
  std::iota(order.begin(), order.end(), 0u);
  if (config.order == WaveOrder::Descending) std::reverse(order.begin(), order.end());
  uint64_t limit = config.instructionLimit ? config.instructionLimit : defaultInstructionLimit;
  while (group.ended < group.waves) {
    if (config.order == WaveOrder::Seeded)
      for (unsigned k = waveCount; k > 1; --k) std::swap(order[k - 1], order[random() % k]);
    bool progress = false;
    for (unsigned k : order) {
      Wave &w = *waves[k];
      if (w.stop == Stop::End) continue;
      if (w.stop == Stop::Barrier) {
        if (!w.signalled || group.generation <= w.barrierGeneration) continue;
        w.signalled = w.atBarrier = false;
      }
      progress = true;
      uint64_t before = w.executed, left = limit - std::min(limit, result.waveInstructions);
      runWave(w, std::min(quantum, left + 1));
      result.waveInstructions += w.executed - before;
      if (w.stop == Stop::Fault) return finish(w);
      if (w.stop == Stop::End) {
        ++group.ended;
        completeBarrier(group);
      }
      if (result.waveInstructions > limit) {
        w.fail(FaultKind::Runaway, "the kernel has executed " + std::to_string(limit) +
                                       " wave instructions without coming to its end");
        return finish(w);
      }
    }
    if (!progress) {
      reportDeadlock(result, program, waves, config);
      return false;
    }
  }
  return true;
}

} // namespace

LaunchResult launchKernel(Memory &memory, const Module &module, std::string_view name, const LaunchConfig &config,
                          std::string_view kernargs) {
  LaunchResult result;
  auto refuse = [&](std::string why) {
    result.fault = FaultKind::BadLaunch;
    result.report = "cannot launch kernel `" + std::string(name) + "`: " + why;
    return result;
  };
  const isa::Kernel *kernel = module.object.find(llvm::StringRef(name.data(), name.size()));
  if (!kernel) return refuse("the code object has no such kernel");
  const Architecture &arch = *module.arch;
  uint64_t threads = 1, limit = std::min<uint64_t>(kernel->hasMetadata ? kernel->maxFlatWorkgroupSize : 1024, 1024);
  for (unsigned k = 0; k < 3; ++k) {
    if (config.block[k] == 0 || config.grid[k] == 0) return refuse("a dimension of grid or block is 0");
    threads *= std::min<uint64_t>(config.block[k], 4096);
    if (kernel->requiredWorkgroupSize[0] && kernel->requiredWorkgroupSize[k] != config.block[k])
      return refuse("it requires blocks of " + std::to_string(kernel->requiredWorkgroupSize[0]) + " x " +
                    std::to_string(kernel->requiredWorkgroupSize[1]) + " x " + std::to_string(kernel->requiredWorkgroupSize[2]));
    if (kernel->clusterDims[k] > 1) return refuse("workgroup clusters are not emulated");
  }
  if (threads > limit)
    return refuse("a block of " + std::to_string(threads) + " work-items is larger than the kernel's " + std::to_string(limit));
  uint64_t lds = std::max<uint64_t>(kernel->descriptor.groupSegmentFixedSize, kernel->groupSegmentFixedSize) + config.dynamicLdsBytes;
  if (lds > arch.ldsBytes)
    return refuse(std::to_string(lds) + " bytes of LDS are more than the " + std::to_string(arch.ldsBytes) + " of " + std::string(arch.name));
  unsigned waveSize = arch.gfx12 ? (kernel->descriptor.wave32 ? 32 : 64) : 64;

  std::unique_ptr<Program> &program = module.programs[kernel->name];
  if (!program)
    program = std::make_unique<Program>(module.object, arch, kernel->name, registerLimits(arch, *kernel), waveSize, module.bias);
  Launch launch(memory, module, *kernel, config, arch, *program);
  launch.waveSize = waveSize;
  launch.seed = config.seed;
  launch.threads = static_cast<uint32_t>(threads);
  launch.waveCount = static_cast<uint32_t>((threads + waveSize - 1) / waveSize);
  launch.ldsBytes = static_cast<uint32_t>(lds);
  launch.scratchBytes = kernel->descriptor.privateSegmentFixedSize;
  if (kernel->usesDynamicStack || kernel->descriptor.usesDynamicStack) launch.scratchBytes += 64 * 1024;
  uint64_t scratch = static_cast<uint64_t>(launch.scratchBytes) * waveSize * launch.waveCount;
  if (scratch > (4ull << 30)) return refuse(std::to_string(launch.scratchBytes) + " bytes of scratch a work-item are too many");
  launch.scratch.resize(scratch);
  launch.lds.resize(lds);
  launch.queue = memory.allocate(256, "queue", false, false);
  launch.dispatch = memory.allocate(64, "dispatch packet", false, false);
  std::string why;
  if (!launch.queue || !launch.dispatch) return refuse("no memory left");
  if (!launch.fillKernargs(kernargs, why)) return refuse(why);
  launch.fillDispatchPacket();
  size_t registers = static_cast<size_t>(program->registerCount()) * laneStride;
  launch.vectorRegisters.resize(registers * launch.waveCount);
  for (unsigned k = 0; k < launch.waveCount; ++k) {
    launch.storage.push_back(std::make_unique<Wave>());
    launch.waves.push_back(launch.storage.back().get());
    launch.waves[k]->vector = launch.vectorRegisters.data() + registers * k;
  }
  for (uint32_t z = 0; z < config.grid[2]; ++z)
    for (uint32_t y = 0; y < config.grid[1]; ++y)
      for (uint32_t x = 0; x < config.grid[0]; ++x) {
        launch.group.id[0] = x;
        launch.group.id[1] = y;
        launch.group.id[2] = z;
        if (!launch.runGroup()) return launch.result;
      }
  launch.result.ok = true;
  return launch.result;
}

} // namespace fly::emulator
