// The architecture table.
//
// Where the numbers come from:
//   LLVM's AMDGPUUsage ("Processors", "Memory Model", "Initial Kernel Execution State", "ELF Header e_flags") and
//   llvm/lib/Target/AMDGPU/Utils/AMDGPUBaseInfo.cpp of LLVM 22 (getVGPRAllocGranule, getTotalNumVGPRs,
//   getAddressableNumVGPRs, getMaxWavesPerEU, getLdsDwGranularity), with the register limits confirmed by the
//   `; Occupancy` line of LLVM's assembly at a sweep of register counts; the ISA manuals of CDNA 3, CDNA 4, RDNA 4.
//   maxClusterSize: LLVM's TTMP6, whose fields for a workgroup's flat index in its cluster have 4 bits
//   (SIISelLowering.cpp); hipBLASLt's kernels for gfx1250 have the same bound (maxWGsInCluster).
//   codeObjectVersion: the metadata of version 6 is the first to hold `.cluster_dims` (AMDGPUHSAMetadataStreamer.cpp).
//   ldsReadBanks, ldsWriteBanks: see LdsBanks.cpp.
//   descriptorVgprs: AMDGPUUsage, "Kernel Descriptor", GRANULATED_WORKITEM_VGPR_COUNT. On gfx12 it is not the
//   granule in which registers are handed out.
//   maxWorkgroupsPerComputeUnit: AMDGPUBaseInfo.cpp, IsaInfo::getMaxWorkGroupsPerCU.
//   bufferFlags: word 3 of the resource. CDNA: data format 7 (any that is valid) and 4 (32 bits), as in the ISA
//   manuals' "Buffer resource descriptor". gfx1201: OOB_SELECT 3 compares offsets with num_records; bit 24 is reserved
//   and 1. gfx1250: the bits that LLVM puts above its wider num_records are, from the lowest, swizzling, OOB_SELECT and
//   a type of two bits: all 0 for a raw buffer (CDNA5 ISA of July 2026, 9.6, table 57). A test holds the words against
//   the manuals' tables as literals.
//   buffersCheckScalar: CDNA3 ISA, "Buffer addressing": a raw buffer's offset is compared with num_records -
//   sgpr_offset. For RDNA4 and CDNA5 the sources do not agree (BufferResource.h); false is right either way.
//   buffersCheckDwords: CDNA3 ISA, "Buffer addressing"; CDNA5 ISA, 9.4.1. For RDNA4's OOB_SELECT 3 there is a single
//   source; false is right either way.
//   bufferOffsetLimit: LLVM's SIInstrInfo::getMaxMUBUFImmOffset: 12 bits, on gfx12 24 of which the sign stays 0.
//   cacheFields, and the features th_scope and nv: CachePolicies.h, as LLVM's assembly writes them.
//   waitStates: CDNA3 ISA and CDNA4 ISA, 4.5 (compiler/isa/WaitStateRules.cpp). sgprHazards: LLVM's
//   FeatureVALUReadSGPRHazard (SgprHazards.h).
//   registerEcc: AMDGPUUsage, "Target Features", sramecc; CDNA5 ISA, 13.1.5 and LLVM's d16PreservesUnusedBits.
//   splitWorkgroups, severalL2: AMDGPUUsage, "Memory Model"; LLVM's pull request 161638.
//   pairedWmma, negativeFp8Nan: captured on RDNA 4 (runtime/emulator/ops/matrix/AlignedProducts.h).
//   dmaOnVectorPipe: LLVM's AMDGPUCoExecInfo.h.
// gfx1201: one workgroup in CU mode, the mode LLVM compiles for by default on gfx12 is WGP, where four SIMDs share
// the LDS of the pair of compute units; the row describes that pair.
#include "compiler/target/Generations.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace fly::target {

namespace {

using Names = std::string_view;

// Features are named after what a kernel or a pass needs; each list is sorted.
constexpr Names cdna3Features[] = {
    "agpr",        "dpp_row_bcast", "dpp_row_share", "dpp_wave_shr", "flat_scratch", "fp8_conversion", "lds_dma",
    "lds_dma_b32", "mfma",          "mfma_f64",      "mfma_fp8",     "mfma_xf32",    "packed_f32",     "wave64",
};
constexpr Names cdna4Features[] = {
    "agpr",         "bf16_conversion", "dpp_row_bcast",   "dpp_row_share",
    "dpp_wave_shr", "flat_scratch",    "fp4_conversion",  "fp8_conversion",
    "lds_dma",      "lds_dma_b128",    "lds_dma_b32",     "lds_transpose_load",
    "mfma",         "mfma_f64",        "mfma_fp8",        "mfma_scale",
    "packed_f32",   "permlane16_swap", "permlane32_swap", "wave64",
};
constexpr Names rdna4Features[] = {
    "dpp_row_share",  "dpp_row_xmask",         "dual_issue",  "flat_scratch",
    "fp8_conversion", "global_transpose_load", "permlanex16", "scalar_float",
    "split_barrier",  "split_wait_counters",   "th_scope",    "wave32",
    "wave64",         "wave_id_register",      "wmma",        "wmma_fp8",
};
// clang-format off
constexpr Names gfx1250Features[] = {
    "async_lds", "bf16_conversion", "bf16_packed", "cluster", "dpp_row_share", "dpp_row_xmask", "flat_scratch",
    "fp4_conversion", "fp8_conversion", "global_transpose_load", "lds_transpose_load", "named_barrier", "nv",
    "packed_f32", "permlane16_swap", "permlanex16", "scalar_float", "split_barrier", "split_wait_counters",
    "tensor_dma", "th_scope", "vgpr_msb", "wave32", "wave_id_register", "wmma", "wmma_fp8", "wmma_scale",
};

constexpr std::array targets{
    Target{.name = "gfx942", .family = "CDNA 3", .products = "Instinct MI300A, MI300X, MI325X",
     .elfMachine = 0x04c, .generation = generation::gfx9, .waveSize = 64, .maxWorkgroupSize = 1024,
     .ldsBytes = 65536, .ldsPerComputeUnit = 65536, .ldsGranule = 512, .ldsReadBanks = 32, .ldsWriteBanks = 32,
     .vgprs = {512, 512, 8}, .descriptorVgprs = 8, .agprs = 256, .unifiedRegisters = true, .sgprs = {102, 800, 16},
     .simdsPerComputeUnit = 4, .maxWavesPerSimd = 8, .maxWorkgroupsPerComputeUnit = 16, .fp8 = Fp8Flavour::Fnuz,
     .bufferFlags = 0x27000, .buffersCheckScalar = true, .buffersCheckDwords = true, .bufferOffsetLimit = 4095,
     .cacheFields = CacheFields::Sc0NtSc1,
     .features = cdna3Features, .microbenchmarks = true,
     .zeroesHigh16 = true, .preloadPrologue = true, .waitStates = WaitStateRules::Cdna3,
     .registerEcc = RegisterEcc::Either, .severalL2 = true},
    Target{.name = "gfx950", .family = "CDNA 4", .products = "Instinct MI350X, MI355X",
     .elfMachine = 0x04f, .generation = generation::gfx9, .waveSize = 64, .maxWorkgroupSize = 1024,
     .ldsBytes = 163840, .ldsPerComputeUnit = 163840, .ldsGranule = 1280, .ldsReadBanks = 64, .ldsWriteBanks = 32,
     .vgprs = {512, 512, 8}, .descriptorVgprs = 8, .agprs = 256, .unifiedRegisters = true, .sgprs = {102, 800, 16},
     .simdsPerComputeUnit = 4, .maxWavesPerSimd = 8, .maxWorkgroupsPerComputeUnit = 16, .fp8 = Fp8Flavour::Ocp,
     .bufferFlags = 0x27000, .buffersCheckScalar = true, .buffersCheckDwords = true, .bufferOffsetLimit = 4095,
     .cacheFields = CacheFields::Sc0NtSc1,
     .features = cdna4Features, .microbenchmarks = true,
     .zeroesHigh16 = true, .preloadPrologue = true, .waitStates = WaitStateRules::Cdna4,
     .registerEcc = RegisterEcc::Either, .severalL2 = true},
    Target{.name = "gfx1201", .family = "RDNA 4", .products = "Radeon RX 9070, RX 9070 XT, AI PRO R9700",
     .elfMachine = 0x04e, .generation = generation::gfx12, .waveSize = 32, .maxWorkgroupSize = 1024,
     .ldsBytes = 65536, .ldsPerComputeUnit = 131072, .ldsGranule = 512, .ldsReadBanks = 32, .ldsWriteBanks = 32,
     .vgprs = {256, 1536, 24}, .descriptorVgprs = 8, .agprs = 0, .unifiedRegisters = false, .sgprs = {106, 0, 128},
     .simdsPerComputeUnit = 4, .maxWavesPerSimd = 16, .maxWorkgroupsPerComputeUnit = 32, .fp8 = Fp8Flavour::Ocp,
     .bufferFlags = 0x31027000, .buffersCheckScalar = false, .buffersCheckDwords = false,
     .bufferOffsetLimit = (1u << 23) - 1, .cacheFields = CacheFields::HintScope,
     .features = rdna4Features,
     .sgprHazards = true, .splitWorkgroups = true, .pairedWmma = true, .negativeFp8Nan = true},
    Target{.name = "gfx1250", .family = "GFX12.5", .products = "Instinct MI450 series",
     .elfMachine = 0x049, .generation = generation::gfx12, .waveSize = 32, .maxWorkgroupSize = 1024,
     .maxClusterSize = 16, .codeObjectVersion = 6,
     .ldsBytes = 327680, .ldsPerComputeUnit = 327680, .ldsGranule = 2048, .ldsReadBanks = 64, .ldsWriteBanks = 64,
     .vgprs = {1024, 1024, 16}, .descriptorVgprs = 16, .agprs = 0, .unifiedRegisters = false, .sgprs = {106, 0, 128},
     .simdsPerComputeUnit = 4, .maxWavesPerSimd = 16, .maxWorkgroupsPerComputeUnit = 16, .fp8 = Fp8Flavour::Ocp,
     .bufferFlags = 0, .buffersCheckScalar = false, .buffersCheckDwords = true,
     .bufferOffsetLimit = (1u << 23) - 1, .cacheFields = CacheFields::HintScopeNv,
     .features = gfx1250Features,
     .translationCounter = true, .gfx125Descriptor = true, .wideBuffers = true, .signedScalarOffset = true,
     .cdna5Arithmetic = true, .globalScratch = true, .clampedFp8IsE5M3 = true,
     .registerEcc = RegisterEcc::Yes, .severalL2 = true, .dmaOnVectorPipe = true},
};
// clang-format on

constexpr bool featuresAreSorted() {
  for (const Target &target : targets)
    if (!std::is_sorted(target.features.begin(), target.features.end()))
      return false;
  return true;
}
static_assert(featuresAreSorted(), "`has` searches by halves");

std::atomic<InstructionQuery> instructionQuery{nullptr};

} // namespace

bool Target::hasFeature(std::string_view feature) const {
  return std::binary_search(features.begin(), features.end(), feature);
}

bool Target::hasWaveSize(uint32_t lanes) const {
  return (lanes == 32 && hasFeature("wave32")) || (lanes == 64 && hasFeature("wave64"));
}

uint32_t Target::vgprsAt(uint32_t lanes, uint32_t vgprs) const {
  return hasWaveSize(lanes) ? vgprs * waveSize / lanes : vgprs;
}

bool Target::has(std::string_view featureOrInstruction) const {
  if (hasFeature(featureOrInstruction))
    return true;
  InstructionQuery query = instructionQuery.load(std::memory_order_acquire);
  return query && query(*this, featureOrInstruction);
}

const Target *find(std::string_view name) {
  auto row = std::find_if(targets.begin(), targets.end(), [&](const Target &t) { return t.name == name; });
  return row == targets.end() ? nullptr : &*row;
}

std::span<const Target> all() { return targets; }

std::string names() {
  std::string text;
  for (const Target &target : targets)
    text.append(text.empty() ? "" : ", ").append(target.name);
  return text;
}

void setInstructionQuery(InstructionQuery query) { instructionQuery.store(query, std::memory_order_release); }

} // namespace fly::target
