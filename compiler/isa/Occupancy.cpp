// How many waves fit on a SIMD.
//
// Three resources are handed out: registers of a SIMD in granules, LDS of a compute unit in whole workgroups, wave
// slots. The formulas are those of LLVM's AMDGPUBaseInfo.cpp (IsaInfo::getNumWavesPerEUWithNumVGPRs,
// getOccupancyWithNumSGPRs) and AMDGPUSubtarget.cpp (getOccupancyWithWorkGroupSizes), so that the number agrees with
// the one clang reports (-Rpass-analysis=kernel-resource-usage); a test compares them.
//
//     registers  waves = total / roundUp(used, granule)
//     LDS        workgroups = size / used; waves = workgroups * waves of a workgroup / SIMDs, rounded up
#include "compiler/isa/CodeObject.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace fly::isa {

namespace {

struct OccupancyRow {
  const char *architecture;
  uint32_t waveSize;
  uint32_t totalVgprs, vgprGranule;    ///< a SIMD, in registers of one wave
  uint32_t waveSlots;                  ///< a SIMD
  uint32_t simds;                      ///< that share the LDS of a workgroup
  uint32_t ldsBytes;                   ///< that workgroups share
  uint32_t workgroups;                 ///< at most, where they are of several waves (they need a barrier)
  bool sgprsLimit;                     ///< SGPRs are shared among waves
};
constexpr OccupancyRow rows[] = {
    {"gfx942", 64, 512, 8, 8, 4, 65536, 16, true},    {"gfx950", 64, 512, 8, 8, 4, 163840, 16, true},
    {"gfx1201", 32, 1536, 24, 16, 4, 131072, 32, false}, {"gfx1201", 64, 768, 12, 16, 4, 131072, 32, false},
    {"gfx1250", 32, 1024, 16, 16, 4, 327680, 16, false},
};

/// gfx9: 800 SGPRs a SIMD in granules of 16, as LLVM rounds it.
uint32_t wavesBySgprs(uint32_t sgprs) { return sgprs <= 80 ? 10 : sgprs <= 88 ? 9 : sgprs <= 100 ? 8 : 7; }

} // namespace

Occupancy occupancy(llvm::StringRef architecture, uint32_t vgprs, uint32_t sgprs, uint32_t ldsBytes,
                    uint32_t workgroupSize, uint32_t waveSize) {
  const OccupancyRow *row = llvm::find_if(rows, [&](const OccupancyRow &r) {
    return architecture == r.architecture && waveSize == r.waveSize;
  });
  Occupancy o;
  if (row == std::end(rows)) return o;
  workgroupSize = std::clamp<uint32_t>(workgroupSize, 1, 1024);
  const uint32_t wavesOfGroup = llvm::divideCeil(workgroupSize, waveSize);
  const uint64_t allocated = llvm::alignTo(std::max<uint64_t>(vgprs, 1), row->vgprGranule);
  o.vgprsAllocated = static_cast<uint32_t>(allocated);
  o.vgprsOfSimd = row->totalVgprs;
  o.byWaveSlots = row->waveSlots;
  o.byVgprs = static_cast<uint32_t>(row->totalVgprs / allocated);
  o.bySgprs = row->sgprsLimit ? wavesBySgprs(sgprs) : row->waveSlots;
  const uint32_t slotsOfUnit = row->waveSlots * row->simds;
  uint32_t groups = std::max(1u, slotsOfUnit / wavesOfGroup);
  if (wavesOfGroup > 1) groups = std::min(groups, row->workgroups);
  if (ldsBytes) groups = std::min(groups, row->ldsBytes / ldsBytes);
  o.byLds = static_cast<uint32_t>(llvm::divideCeil(uint64_t(groups) * wavesOfGroup, row->simds));
  o.waves = std::min({o.byWaveSlots, o.byVgprs, o.bySgprs, o.byLds});
  return o;
}

Occupancy occupancy(const CodeObject &object, const Kernel &kernel) {
  return occupancy(object.architecture(), kernel.vgprs, kernel.sgprs, kernel.groupSegmentFixedSize,
                   kernel.maxFlatWorkgroupSize, kernel.waveSize);
}

} // namespace fly::isa
