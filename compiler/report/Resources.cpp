// Resources and occupancy. The formulas are isa::occupancy's; the needs of the next step are found by searching with
// the same formulas, so the two cannot disagree. Using less of a resource never reduces the waves.
#include "compiler/report/Resources.h"

#include "compiler/target/Target.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace fly::report {

Resources resourcesOf(const isa::CodeObject &object, const isa::Kernel &kernel) {
  Resources r;
  const target::Target *target = target::findReadable(object.architecture());
  r.fromMetadata = kernel.hasMetadata;
  r.agprs = kernel.agprs;
  r.vectorRegisters = kernel.vgprs;
  r.sgprs = kernel.sgprs;
  const bool unified = target && target->unifiedRegisters;
  r.registersAllocated = kernel.vgprsAllocated;
  r.vgprs = unified && r.agprs && r.vectorRegisters >= r.agprs ? r.vectorRegisters - r.agprs : r.vectorRegisters;
  r.ldsBytes = kernel.groupSegmentFixedSize;
  r.scratchBytes = kernel.privateSegmentFixedSize;
  r.vgprSpills = kernel.vgprSpills;
  r.sgprSpills = kernel.sgprSpills;
  r.kernargBytes = kernel.kernargSegmentSize;
  r.maxWorkgroupSize = kernel.maxFlatWorkgroupSize;
  r.waveSize = kernel.waveSize;
  r.dynamicStack = kernel.usesDynamicStack || kernel.descriptor.usesDynamicStack;
  return r;
}

OccupancyReport explainOccupancy(const std::string &architecture, const Resources &r) {
  auto at = [&](uint32_t vectorRegisters, uint32_t sgprs, uint32_t lds) {
    return isa::occupancy(architecture, vectorRegisters, sgprs, lds, r.maxWorkgroupSize, r.waveSize);
  };
  OccupancyReport out;
  // Where a compiler allocates more than is used because other limits leave it free, these limits are the explanation.
  const uint32_t registers =
      at(r.registersAllocated, r.sgprs, r.ldsBytes).waves < at(r.vectorRegisters, r.sgprs, r.ldsBytes).waves
          ? r.registersAllocated
          : r.vectorRegisters;
  const isa::Occupancy &now = out.occupancy = at(registers, r.sgprs, r.ldsBytes);
  const uint32_t withoutLds = at(0, 0, 0).byLds;
  // If all slots are taken, only they count as the limit, even if other resources have no room either.
  const bool full = now.byWaveSlots == now.waves;
  if (!full && now.byVgprs == now.waves)
    out.limitedBy.push_back("vector_registers");
  if (!full && now.bySgprs == now.waves)
    out.limitedBy.push_back("sgprs");
  if (!full && now.byLds == now.waves && now.byLds < withoutLds)
    out.limitedBy.push_back("lds_bytes");
  if (!full && now.byLds == now.waves && now.byLds == withoutLds)
    out.limitedBy.push_back("workgroup_size");
  if (full)
    out.limitedBy.push_back("wave_slots");

  // The largest use that still allows this many waves; nothing if none does.
  auto largest = [&](uint32_t used, uint32_t waves, auto &&wavesOf) -> std::optional<uint32_t> {
    if (wavesOf(0u) < waves)
      return std::nullopt;
    uint32_t fits = 0, tooMuch = used; // `used` does not fit
    while (tooMuch - fits > 1)
      (wavesOf(fits + (tooMuch - fits) / 2) >= waves ? fits : tooMuch) = fits + (tooMuch - fits) / 2;
    return fits;
  };
  // LDS is allocated in granules, which LLVM's formula ignores; the amounts reported here must fit.
  const target::Target *target = target::findReadable(architecture);
  auto granuleOf = [&](llvm::StringRef resource) {
    return resource == "lds_bytes" && target ? target->ldsGranule : 1u;
  };
  for (uint32_t waves = now.waves + 1; waves <= std::min(now.byWaveSlots, withoutLds) && !out.nextWaves; ++waves) {
    std::vector<Need> needs;
    bool possible = true;
    auto want = [&](const char *resource, uint32_t used, uint32_t has, auto &&wavesOf) {
      if (has >= waves)
        return;
      if (auto most = largest(used, waves, wavesOf))
        needs.push_back({resource, used, uint32_t(llvm::alignDown(*most, granuleOf(resource)))});
      else
        possible = false;
    };
    want("vector_registers", registers, now.byVgprs, [&](uint32_t n) { return at(n, 0, 0).byVgprs; });
    want("sgprs", r.sgprs, now.bySgprs, [&](uint32_t n) { return at(0, n, 0).bySgprs; });
    want("lds_bytes", r.ldsBytes, now.byLds, [&](uint32_t n) { return at(0, 0, n).byLds; });
    if (!possible || needs.empty())
      continue;
    // With these, more may fit than was requested.
    uint32_t fewer = registers, sgprs = r.sgprs, lds = r.ldsBytes;
    for (const Need &need : needs)
      (need.resource == "sgprs" ? sgprs : need.resource == "lds_bytes" ? lds : fewer) = need.atMost;
    out.nextWaves = at(fewer, sgprs, lds).waves;
    out.needs = std::move(needs);
  }
  return out;
}

} // namespace fly::report
