// Launching: checks, kernel arguments with the hidden ones, the dispatch packet. Scheduler.cpp runs the plan.
#include "runtime/emulator/launch/Launch.h"

#include "compiler/target/Target.h"

#include <algorithm>
#include <optional>

namespace fly::emulator {

namespace {

/// A dynamic stack has no bound in the metadata; the ROCm runtime grants 16 KiB or what the program asked for.
constexpr uint32_t dynamicStackBytes = 64 * 1024;
constexpr uint32_t maxClusterSize = 16;       ///< TTMP6 has four bits for the flat id
constexpr uint64_t scratchLimit = 4ull << 30; ///< of a workgroup

uint32_t segmentSize(const isa::Kernel &kernel) {
  return std::max(kernel.kernargSegmentSize, kernel.descriptor.kernargSize);
}

/// The arguments' segment: explicit ones as given, hidden ones by `.value_kind`.
bool fillKernargs(LaunchPlan &plan, std::string_view explicitBytes, std::string &why) {
  const isa::Kernel &kernel = plan.kernel;
  const LaunchConfig &config = plan.config;
  uint32_t size = segmentSize(kernel);
  // ROCm's segments begin at multiples of 16 bytes or more and fill whole pages, and LLVM relies on it: three words at
  // the end may be loaded as four (`s_load_dwordx4` of 28 bytes of arguments, gfx942).
  uint32_t reserved = (std::max<uint32_t>(size, 4) + 15) / 16 * 16;
  plan.kernarg = plan.memory.allocate(reserved, "kernel arguments", false, false);
  if (!plan.kernarg) {
    why = "no memory for the kernel's arguments";
    return false;
  }
  uint8_t *p = plan.memory.host(plan.kernarg, reserved);
  std::memset(p, 0, reserved);
  std::memcpy(p, explicitBytes.data(), std::min<size_t>(explicitBytes.size(), size));
  const auto &grid = config.grid, &block = config.block;
  // clang-format off
  struct { std::string_view kind; uint64_t value; } values[] = {
      {"hidden_block_count_x", grid[0]}, {"hidden_block_count_y", grid[1]}, {"hidden_block_count_z", grid[2]},
      {"hidden_group_size_x", block[0]}, {"hidden_group_size_y", block[1]}, {"hidden_group_size_z", block[2]},
      {"hidden_remainder_x", 0}, {"hidden_remainder_y", 0}, {"hidden_remainder_z", 0},
      {"hidden_global_offset_x", 0}, {"hidden_global_offset_y", 0}, {"hidden_global_offset_z", 0},
      {"hidden_grid_dims", grid[2] * block[2] > 1 ? 3u : grid[1] * block[1] > 1 ? 2u : 1u},
      {"hidden_dynamic_lds_size", config.dynamicLdsBytes},
      {"hidden_private_base", privateAperture}, {"hidden_shared_base", sharedAperture},
      {"hidden_queue_ptr", plan.queue}};
  // clang-format on
  for (const isa::KernelArgument &a : kernel.arguments) {
    if (!a.hidden() || a.offset > size || a.size > size - a.offset) continue;
    for (const auto &v : values)
      if (v.kind == a.kind) std::memcpy(p + a.offset, &v.value, std::min<uint32_t>(a.size, 8));
  }
  return true;
}

void fillDispatchPacket(const LaunchPlan &plan) {
  struct Packet {
    uint16_t header = 2, setup = 3, block[3], reserved0 = 0;
    uint32_t grid[3], privateBytes, groupBytes;
    uint64_t kernelObject, kernarg, reserved2 = 0, completion = 0;
  } packet;
  static_assert(sizeof(Packet) == 64);
  for (unsigned k = 0; k < 3; ++k) {
    packet.block[k] = static_cast<uint16_t>(plan.config.block[k]);
    packet.grid[k] = plan.config.grid[k] * plan.config.block[k];
  }
  packet.privateBytes = plan.scratchBytes;
  packet.groupBytes = plan.ldsBytes;
  packet.kernelObject = plan.kernel.descriptorAddress + plan.module.bias;
  packet.kernarg = plan.kernarg;
  std::memcpy(plan.memory.host(plan.dispatch, 64), &packet, 64);
}

std::string text(const std::array<uint32_t, 3> &extents) {
  return std::to_string(extents[0]) + " x " + std::to_string(extents[1]) + " x " + std::to_string(extents[2]);
}

/// The cluster that the launch requests, or the kernel's own. Returns a reason if it is not possible.
std::string chooseCluster(const isa::Kernel &kernel, const LaunchConfig &config, const Architecture &arch,
                          std::array<uint32_t, 3> &cluster) {
  const auto &own = kernel.clusterDims;
  bool fixed = own[0] && own[1] && own[2];
  cluster = fixed ? own : config.cluster;
  auto text = [](const std::array<uint32_t, 3> &d) {
    return std::to_string(d[0]) + " x " + std::to_string(d[1]) + " x " + std::to_string(d[2]);
  };
  uint64_t size = 1;
  for (unsigned k = 0; k < 3; ++k) {
    if (cluster[k] == 0) return "a dimension of the cluster is 0";
    if (fixed && config.cluster[k] != 1 && config.cluster[k] != own[k]) return "it requires clusters of " + text(own);
    if (config.grid[k] % cluster[k])
      return "a grid of " + text(config.grid) + " cannot be divided into clusters of " + text(cluster);
    size *= std::min<uint32_t>(cluster[k], 1024);
  }
  if (size > 1 && !arch.clusters) return std::string(arch.name) + " has no workgroup clusters";
  if (size > maxClusterSize)
    return "a cluster of " + text(cluster) + " has more than " + std::to_string(maxClusterSize) + " workgroups";
  return {};
}

/// Threads and LDS of a workgroup, and its cluster: the extent of a valid launch.
struct Extent {
  uint64_t threads = 1, lds = 0, scratch = 0;
  unsigned waveSize = 64;
  std::array<uint32_t, 3> cluster{1, 1, 1};
  uint64_t waves() const { return (threads + waveSize - 1) / waveSize; }
};

/// A reason if this cannot be launched.
std::string measure(const isa::Kernel &kernel, const Architecture &arch, const LaunchConfig &config,
                    size_t argumentBytes, Extent &extent) {
  uint64_t limit = std::min<uint64_t>(kernel.hasMetadata ? kernel.maxFlatWorkgroupSize : 1024, 1024);
  for (unsigned k = 0; k < 3; ++k) {
    if (config.block[k] == 0 || config.grid[k] == 0) return "a dimension of grid or block is 0";
    extent.threads *= std::min<uint64_t>(config.block[k], 4096);
    if (kernel.requiredWorkgroupSize[0] && kernel.requiredWorkgroupSize[k] != config.block[k])
      return "it requires blocks of " + std::to_string(kernel.requiredWorkgroupSize[0]) + " x " +
             std::to_string(kernel.requiredWorkgroupSize[1]) + " x " + std::to_string(kernel.requiredWorkgroupSize[2]);
  }
  if (extent.threads > limit)
    return "a block of " + std::to_string(extent.threads) + " work-items is larger than the kernel's " +
           std::to_string(limit);
  extent.lds = uint64_t(kernel.groupSegmentFixedSize) + config.dynamicLdsBytes;
  if (extent.lds > arch.ldsBytes)
    return std::to_string(extent.lds) + " bytes of LDS exceed the " + std::to_string(arch.ldsBytes) + " of " +
           std::string(arch.name);
  extent.waveSize = kernel.waveSize;
  if (std::string why = chooseCluster(kernel, config, arch, extent.cluster); !why.empty()) return why;
  for (const std::array<uint32_t, 3> &id : config.only)
    for (unsigned k = 0; k < 3; ++k)
      if (id[k] >= config.grid[k])
        return "there is no workgroup (" + std::to_string(id[0]) + ", " + std::to_string(id[1]) + ", " +
               std::to_string(id[2]) + ") in a grid of " + text(config.grid);
  extent.scratch = kernel.descriptor.privateSegmentFixedSize;
  if (kernel.usesDynamicStack || kernel.descriptor.usesDynamicStack) extent.scratch += dynamicStackBytes;
  if (extent.scratch * extent.waveSize * extent.waves() > scratchLimit)
    return std::to_string(extent.scratch) + " bytes of scratch per work-item are too many";
  // The rest of a block that is larger than the segment is left out, as HIP does: hosts of hand-written kernels round
  // the block up.
  const uint32_t size = segmentSize(kernel);
  const uint32_t expected = std::min(kernel.hasMetadata ? kernel.explicitKernargSize() : size, size);
  if (argumentBytes < expected)
    return "the kernel takes " + std::to_string(expected) + " bytes of arguments, not " + std::to_string(argumentBytes);
  return {};
}

std::string refusalText(std::string_view name, const std::string &why) {
  return "cannot launch kernel `" + std::string(name) + "`: " + why;
}

constexpr const char *noSuchKernel = "the code object has no such kernel";

} // namespace

Residency residency(std::string_view architecture, const RegisterLimits &limits, unsigned waveSize, uint32_t threads,
                    uint32_t lds) {
  const target::Target *target = target::find(architecture);
  if (!target || threads == 0) return {};
  // The unified file counts VGPRs in groups of four, followed by the AGPRs.
  const uint32_t registers =
      target->unifiedRegisters && limits.agprs ? (limits.vgprs + 3) / 4 * 4 + limits.agprs : limits.vgprs;
  const isa::Occupancy occupancy =
      isa::occupancy({architecture.data(), architecture.size()}, registers, limits.sgprs, lds, threads, waveSize);
  const uint32_t waves = (threads + waveSize - 1) / waveSize, simds = target->simdsPerComputeUnit;
  Residency least{occupancy.byWaveSlots * simds / waves, "wave slots"};
  auto atMost = [&](uint32_t workgroups, std::string_view limit) {
    if (workgroups < least.workgroups) least = {workgroups, limit};
  };
  if (waves > 1) atMost(target->maxWorkgroupsPerComputeUnit, "workgroup slots");
  atMost(occupancy.byVgprs * simds / waves, "VGPRs");
  atMost(occupancy.bySgprs * simds / waves, "SGPRs");
  if (lds) {
    const uint32_t granules = (lds + target->ldsGranule - 1) / target->ldsGranule;
    atMost(target->ldsPerComputeUnit / (granules * target->ldsGranule), "LDS");
  }
  return least;
}

std::string launchRefusal(const Module &module, std::string_view name, const LaunchConfig &config,
                          std::string_view kernargs) {
  const isa::Kernel *kernel = module.object.find(llvm::StringRef(name.data(), name.size()));
  Extent extent;
  std::string why = kernel ? measure(*kernel, *module.arch, config, kernargs.size(), extent) : noSuchKernel;
  return why.empty() ? why : refusalText(config.label.empty() ? name : config.label, why);
}

namespace {

/// A launch that can begin, or why it cannot; with the memory that lives as long as it does.
class Prepared {
public:
  Prepared(Memory &memory, const Module &module, std::string_view name, const LaunchConfig &config,
           std::string_view kernargs);
  ~Prepared() {
    if (plan)
      for (uint64_t a : {plan->kernarg, plan->dispatch, plan->queue})
        if (a) plan->memory.free(a);
  }
  Prepared(const Prepared &) = delete;

  std::optional<LaunchPlan> plan;
  std::string refusal; ///< empty: none

private:
  std::string prepare(Memory &memory, const Module &module, std::string_view name, const LaunchConfig &config,
                      std::string_view kernargs);
};

Prepared::Prepared(Memory &memory, const Module &module, std::string_view name, const LaunchConfig &config,
                   std::string_view kernargs) {
  if (std::string why = prepare(memory, module, name, config, kernargs); !why.empty())
    refusal = refusalText(config.label.empty() ? name : config.label, why);
}

std::string Prepared::prepare(Memory &memory, const Module &module, std::string_view name, const LaunchConfig &config,
                              std::string_view kernargs) {
  const isa::Kernel *kernel = module.object.find(llvm::StringRef(name.data(), name.size()));
  if (!kernel) return noSuchKernel;
  Extent extent;
  if (std::string why = measure(*kernel, *module.arch, config, kernargs.size(), extent); !why.empty()) return why;
  plan.emplace(memory, module, *kernel, config, *module.arch);
  plan->cluster = extent.cluster;
  plan->choose();
  plan->waveSize = extent.waveSize;
  plan->workItems = static_cast<uint32_t>(extent.threads);
  plan->waveCount = static_cast<uint32_t>(extent.waves());
  plan->ldsBytes = static_cast<uint32_t>(extent.lds);
  plan->scratchBytes = static_cast<uint32_t>(extent.scratch);
  if (config.timing) {
    RegisterLimits limits = registerLimits(plan->arch, *kernel);
    limits.vgprs = std::min(limits.vgprs, limits.firstAgpr);
    plan->resident = residency(plan->arch.name, limits, plan->waveSize, plan->workItems, plan->ldsBytes);
  }
  plan->queue = memory.allocate(256, "queue", false, false);
  plan->dispatch = memory.allocate(64, "dispatch packet", false, false);
  std::string why;
  if (!plan->queue || !plan->dispatch) return "no memory left";
  if (fillKernargs(*plan, kernargs, why)) fillDispatchPacket(*plan);
  return why;
}

LaunchResult refused(std::string what) {
  LaunchResult result;
  result.report.kind = FaultKind::BadLaunch;
  result.report.what = std::move(what);
  return result;
}

} // namespace

LaunchResult launchKernel(Memory &memory, const Module &module, std::string_view name, const LaunchConfig &config,
                          std::string_view kernargs) {
  Prepared prepared(memory, module, name, config, kernargs);
  if (!prepared.refusal.empty()) return refused(std::move(prepared.refusal));
  LaunchResult result;
  runPlan(*prepared.plan, result);
  return result;
}

LaunchResult launchKernels(Memory &memory, std::span<const DeviceLaunch> launches) {
  std::vector<std::unique_ptr<Prepared>> all;
  std::vector<const LaunchPlan *> plans;
  uint32_t groups = 0;
  for (const DeviceLaunch &launch : launches) {
    Prepared &next = *all.emplace_back(
        std::make_unique<Prepared>(memory, launch.module, launch.kernel, launch.config, launch.kernargs));
    if (!next.refusal.empty()) return refused(std::move(next.refusal));
    if (launch.config.timing) return refused(refusalText(launch.kernel, "the time of several devices is not modelled"));
    next.plan->device = launch.device;
    next.plan->firstGroup = groups;
    groups += static_cast<uint32_t>(next.plan->unitCount() * next.plan->groupsPerUnit());
    plans.push_back(&*next.plan);
  }
  LaunchResult result;
  if (plans.empty()) result.ok = true;
  else runTogether(plans, result);
  return result;
}

} // namespace fly::emulator
