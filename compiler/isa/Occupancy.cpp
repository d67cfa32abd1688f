// How many waves fit on a SIMD.
//
// Three resources are allocated: registers of a SIMD in granules, LDS of a compute unit in whole workgroups, wave
// slots. The formulas are those of LLVM's AMDGPUBaseInfo.cpp (IsaInfo::getNumWavesPerEUWithNumVGPRs,
// getOccupancyWithNumSGPRs) and AMDGPUSubtarget.cpp (getOccupancyWithWorkGroupSizes), so that the number agrees with
// the one clang reports (-Rpass-analysis=kernel-resource-usage); a test compares them.
//
//     registers  waves = total / roundUp(used, granule)
//     LDS        workgroups = size / used; waves = workgroups * waves of a workgroup / SIMDs, rounded up
#include "compiler/isa/CodeObject.h"

#include "compiler/target/Target.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace fly::isa {

namespace {

/// gfx9: 800 SGPRs a SIMD in granules of 16, as LLVM rounds it.
uint32_t wavesBySgprs(uint32_t sgprs) { return sgprs <= 80 ? 10 : sgprs <= 88 ? 9 : sgprs <= 100 ? 8 : 7; }

} // namespace

Occupancy occupancy(llvm::StringRef architecture, uint32_t vgprs, uint32_t sgprs, uint32_t ldsBytes,
                    uint32_t workgroupSize, uint32_t waveSize) {
  const target::Target *row = target::findReadable(architecture);
  Occupancy o;
  if (!row || !row->hasWaveSize(waveSize)) return o;
  workgroupSize = std::clamp<uint32_t>(workgroupSize, 1, row->maxWorkgroupSize);
  const uint32_t wavesOfGroup = llvm::divideCeil(workgroupSize, waveSize);
  const uint64_t allocated = llvm::alignTo(std::max<uint64_t>(vgprs, 1), row->vgprsAt(waveSize, row->vgprs.granule));
  o.vgprsAllocated = static_cast<uint32_t>(allocated);
  o.vgprsOfSimd = row->vgprsAt(waveSize, row->vgprs.perSimd);
  o.byWaveSlots = row->maxWavesPerSimd;
  o.byVgprs = static_cast<uint32_t>(o.vgprsOfSimd / allocated);
  o.bySgprs = row->sgprs.perSimd ? wavesBySgprs(sgprs) : row->maxWavesPerSimd;
  const uint32_t slotsOfUnit = row->maxWavesPerSimd * row->simdsPerComputeUnit;
  uint32_t groups = std::max(1u, slotsOfUnit / wavesOfGroup);
  if (wavesOfGroup > 1) groups = std::min(groups, row->maxWorkgroupsPerComputeUnit);
  if (ldsBytes) groups = std::min(groups, row->ldsPerComputeUnit / ldsBytes);
  o.byLds = static_cast<uint32_t>(llvm::divideCeil(uint64_t(groups) * wavesOfGroup, row->simdsPerComputeUnit));
  o.waves = std::min({o.byWaveSlots, o.byVgprs, o.bySgprs, o.byLds});
  return o;
}

Occupancy occupancy(const CodeObject &object, const Kernel &kernel) {
  return occupancy(object.architecture(), std::max(kernel.vgprs, kernel.vgprsAllocated), kernel.sgprs,
                   kernel.groupSegmentFixedSize, kernel.maxFlatWorkgroupSize, kernel.waveSize);
}

} // namespace fly::isa
