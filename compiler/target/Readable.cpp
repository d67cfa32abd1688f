// Architectures that flyc does not compile for, but whose code objects it describes: those that LLVM has a disassembler
// for (gfx8 and later).
//
// Their rows say what a reader needs: encodings, how a wave starts, and what limits the waves on a SIMD. Each family
// has a row that the others are made from. Sources: LLVM 22's AMDGPUUsage ("Processors", "Initial Kernel Execution
// State", "ELF Header e_flags"), GCNProcessors.td and AMDGPUBaseInfo.cpp (getVGPRAllocGranule, getVGPREncodingGranule,
// getTotalNumVGPRs, getMaxWavesPerEU, getMaxWorkGroupsPerCU); a test holds the occupancy against what clang reports for
// each of them.
//
// gfx940 and gfx941 are early steppings of gfx942 that LLVM 22 has no processor for; their code is decoded as gfx942's.
#include "compiler/target/Generations.h"

#include <algorithm>
#include <array>

namespace fly::target {

namespace {

constexpr std::string_view wave64[] = {"wave64"};
constexpr std::string_view matrix64[] = {"agpr", "mfma", "wave64"};
constexpr std::string_view bothWaves[] = {"wave32", "wave64"};

constexpr Target gcn(const Generation &generation, std::string_view family) {
  // clang-format off
  return {.family = family, .generation = generation, .waveSize = 64, .maxWorkgroupSize = 1024,
          .ldsBytes = 65536, .ldsPerComputeUnit = 65536, .ldsGranule = 512, .ldsReadBanks = 32, .ldsWriteBanks = 32,
          .vgprs = {256, 256, 4}, .descriptorVgprs = 4, .agprs = 0, .unifiedRegisters = false, .sgprs = {102, 800, 16},
          .simdsPerComputeUnit = 4, .maxWavesPerSimd = 10, .maxWorkgroupsPerComputeUnit = 16, .fp8 = Fp8Flavour::Ocp,
          .cacheFields = CacheFields::GlcSlcDlc, .features = wave64, .separateWorkitemIds = true};
  // clang-format on
}
constexpr Target gfx8 = gcn(generation::gfx8, "GCN 3, GCN 4"), gfx9 = gcn(generation::gfx9, "GCN 5"), gfx908 = [] {
  Target row = gcn(generation::gfx9, "CDNA 1");
  row.agprs = 256;
  row.features = matrix64;
  row.registerEcc = RegisterEcc::Either;
  return row;
}();
constexpr Target gfx90a = [] {
  Target row = gcn(generation::gfx9, "CDNA 2");
  row.vgprs = {512, 512, 8};
  row.descriptorVgprs = 8;
  row.agprs = 256;
  row.unifiedRegisters = true;
  row.maxWavesPerSimd = 8;
  row.features = matrix64;
  row.separateWorkitemIds = false;
  row.registerEcc = RegisterEcc::Either;
  return row;
}();
constexpr Target gfx940 = [] {
  Target row = gfx90a;
  row.family = "CDNA 3";
  row.fp8 = Fp8Flavour::Fnuz;
  row.cacheFields = CacheFields::Sc0NtSc1;
  row.waitStates = WaitStateRules::Cdna3;
  row.severalL2 = true;
  row.preloadPrologue = true;
  return row;
}();

/// Four SIMDs of two compute units share LDS and work-groups (WGP mode), as in the row of gfx1201.
constexpr Target rdna(const Generation &generation, std::string_view family) {
  Target row = gcn(generation, family);
  row.waveSize = 32;
  row.ldsPerComputeUnit = 131072;
  row.vgprs = {256, 1024, 16};
  row.descriptorVgprs = 8;
  row.sgprs = {106, 0, 128};
  row.maxWavesPerSimd = 16;
  row.maxWorkgroupsPerComputeUnit = 32;
  row.features = bothWaves;
  row.separateWorkitemIds = false;
  return row;
}
constexpr Target rdna2 = [] {
  Target row = rdna(generation::gfx10, "RDNA 2");
  row.separateWorkitemIds = true;
  return row;
}();
constexpr Target gfx101 = [] {
  Target row = rdna2;
  row.family = "RDNA 1";
  row.vgprs.granule = 8;
  row.maxWavesPerSimd = 20;
  return row;
}();
constexpr Target gfx103 = rdna2, gfx11 = rdna(generation::gfx11, "RDNA 3");
constexpr Target withMoreVgprs(Target row) {
  row.vgprs = {256, 1536, 24};
  return row;
}
constexpr Target gfx11Large = withMoreVgprs(gfx11);
constexpr Target gfx12Large = [] {
  Target row = withMoreVgprs(rdna(generation::gfx12, "RDNA 4"));
  row.cacheFields = CacheFields::HintScope;
  row.sgprHazards = row.splitWorkgroups = true;
  return row;
}();

constexpr Target named(Target row, std::string_view name, uint32_t elfMachine, std::string_view products = "") {
  row.name = name;
  row.elfMachine = elfMachine;
  row.products = products;
  return row;
}
constexpr Target decodedAs(std::string_view processor, Target row) {
  row.processor = processor;
  return row;
}
constexpr std::string_view wave32Only[] = {"vgpr_msb", "wave32"};
constexpr Target gfx1251 = [] {
  Target row = gcn(generation::gfx12, "GFX12.5");
  row.waveSize = 32;
  row.ldsBytes = row.ldsPerComputeUnit = 327680;
  row.ldsGranule = 2048;
  row.vgprs = {1024, 1024, 16};
  row.descriptorVgprs = 16;
  row.sgprs = {106, 0, 128};
  row.maxWavesPerSimd = 16;
  row.features = wave32Only;
  row.separateWorkitemIds = false;
  row.translationCounter = row.gfx125Descriptor = row.wideBuffers = row.signedScalarOffset = true;
  row.cdna5Arithmetic = row.globalScratch = row.severalL2 = row.dmaOnVectorPipe = true;
  row.cacheFields = CacheFields::HintScopeNv;
  row.registerEcc = RegisterEcc::Yes;
  return row;
}();

constexpr std::array rows{
    named(gfx8, "gfx801", 0x028, "Carrizo"),
    named(gfx8, "gfx802", 0x029, "Radeon R9 285"),
    named(gfx8, "gfx803", 0x02a, "Radeon R9 Nano, RX 480, Instinct MI6, MI8"),
    named(gfx8, "gfx805", 0x03c),
    named(gfx8, "gfx810", 0x02b),
    named(gfx9, "gfx900", 0x02c, "Radeon RX Vega, Instinct MI25"),
    named(gfx9, "gfx902", 0x02d),
    named(gfx9, "gfx904", 0x02e),
    named(gfx9, "gfx906", 0x02f, "Radeon VII, Instinct MI50, MI60"),
    named(gfx908, "gfx908", 0x030, "Instinct MI100"),
    named(gfx9, "gfx909", 0x031),
    named(gfx90a, "gfx90a", 0x03f, "Instinct MI210, MI250, MI250X"),
    named(gfx9, "gfx90c", 0x032),
    named(gfx9, "gfx9-generic", 0x051),
    decodedAs("gfx942", named(gfx940, "gfx940", 0x040)),
    decodedAs("gfx942", named(gfx940, "gfx941", 0x04b)),
    named(gfx940, "gfx9-4-generic", 0x05f),
    named(gfx101, "gfx1010", 0x033, "Radeon RX 5700"),
    named(gfx101, "gfx1011", 0x034),
    named(gfx101, "gfx1012", 0x035, "Radeon RX 5500"),
    named(gfx101, "gfx1013", 0x042),
    named(gfx101, "gfx10-1-generic", 0x052),
    named(gfx103, "gfx1030", 0x036, "Radeon RX 6800, RX 6900, PRO W6800"),
    named(gfx103, "gfx1031", 0x037, "Radeon RX 6700 XT"),
    named(gfx103, "gfx1032", 0x038, "Radeon RX 6600"),
    named(gfx103, "gfx1033", 0x039),
    named(gfx103, "gfx1034", 0x03e),
    named(gfx103, "gfx1035", 0x03d),
    named(gfx103, "gfx1036", 0x045),
    named(gfx103, "gfx10-3-generic", 0x053),
    named(gfx11Large, "gfx1100", 0x041, "Radeon RX 7900, PRO W7900"),
    named(gfx11Large, "gfx1101", 0x046, "Radeon RX 7800 XT, PRO W7700"),
    named(gfx11, "gfx1102", 0x047, "Radeon RX 7600"),
    named(gfx11, "gfx1103", 0x044),
    named(gfx11, "gfx1150", 0x043),
    named(gfx11Large, "gfx1151", 0x04a),
    named(gfx11, "gfx1152", 0x055),
    named(gfx11, "gfx1153", 0x058),
    named(gfx11, "gfx11-generic", 0x054),
    named(gfx12Large, "gfx1200", 0x048, "Radeon RX 9060 XT"),
    named(gfx12Large, "gfx12-generic", 0x059),
    named(gfx1251, "gfx1251", 0x05a),
};

const Target *findRow(auto &&matches) {
  for (std::span<const Target> some : {all(), readable()})
    if (auto row = std::ranges::find_if(some, matches); row != some.end())
      return &*row;
  return nullptr;
}

} // namespace

std::span<const Target> readable() { return rows; }

const Target *findReadable(std::string_view name) {
  return findRow([&](const Target &row) { return row.name == name; });
}

const Target *findMachine(uint32_t eFlags) {
  return findRow([&](const Target &row) { return row.elfMachine == (eFlags & 0xff); });
}

} // namespace fly::target
