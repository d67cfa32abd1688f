// The rows of Generation, for the tables of targets (Target.cpp, Readable.cpp).
//
// Where the facts come from:
//   opcodeMarks: what LLVM's TableGen puts at the end of an opcode's name (SIInstrInfo.td, VOPInstructions.td).
//   Counters, waits and their fields: AMDGPUBaseInfo.cpp of LLVM 22 (getVmcntBitShiftLo and the like); the manuals'
//   S_WAITCNT (CDNA 3, RDNA 2, RDNA 3) and s_wait_* (RDNA 4).
//   vectorMemoryInOrder: LLVM's VmemWriteVgprInOrder, up to gfx11; RDNA4 ISA, 5.6.
//   flatInOrder: RDNA4 ISA, 5.6; CDNA3 ISA, 4.4 and 10.
//   barriersOrderMemory: AMDGPUUsage, "Memory Model"; LLVM's pull requests 160501 and 161638.
//   globalOffsetBits, flatOffsetBits, scalarOffsetBits: LLVM's getNumFlatOffsetBits; the manuals' FLAT and SMEM. gfx8
//   has unsigned SMEM offsets and none in FLAT; up to gfx11 those of FLAT's own segment are unsigned.
//   Kernel descriptors: AMDGPUUsage, "Kernel Descriptor" (llvm/Support/AMDHSAKernelDescriptor.h).
//   idsInTtmp: AMDGPUUsage, "Initial Kernel Execution State".
//   codeLine, codePadding, codeEnd: LLVM's AMDGPUTargetELFStreamer::EmitCodeEnd: s_code_end, or s_nop for CDNA.
//   valuHazards: compiler/isa/Hazards.cpp names the sections. schedulingMode, scratchBaseRegister: LLVM's SIDefines.h
//   (Hwreg). skipsAndIndexes: CDNA3 ISA and CDNA4 ISA, MODE.
//   firstNan: AMD's pseudocode of v_min_num_f32 and v_min_f32. alignedDots: measured on gfx1201
//   (runtime/emulator/formats/AlignedDot.h).
//   boundsMode: the manuals' buffer resource descriptors. unifiedFormats: RDNA3 ISA and RDNA4 ISA, "Buffer formats".
// What the emulator alone asks for is not verified for generations that it does not run: gfx8, gfx10 and gfx11.
#pragma once

#include "compiler/target/Target.h"

namespace fly::target::generation {

inline constexpr std::string_view gfx8Marks[] = {"vi"}, gfx9Marks[] = {"vi", "gfx9", "gfx90a", "gfx940", "gfx950"},
                                  gfx10Marks[] = {"gfx10"}, gfx11Marks[] = {"gfx11"},
                                  gfx12Marks[] = {"gfx12", "gfx1250"};

// clang-format off
inline constexpr Generation gfx9{
    .encodings = Encodings::Gfx9, .opcodeMarks = gfx9Marks,
    .splitCounters = false, .storeCounter = false,
    .vmcnt = {0, 4, 14, 2}, .expcnt = {4, 3}, .lgkmcnt = {8, 4},
    .vectorMemoryInOrder = true, .flatInOrder = false, .barriersOrderMemory = true,
    .nopStates = 8, .waitSection = "CDNA3 ISA 4.4",
    .globalOffsetBits = 13, .flatOffsetBits = 0, .scalarOffsetBits = 21, .hintAndScope = false,
    .unifiedFormats = false, .byteSelect = false, .boundsMode = false,
    .countsSgprs = true, .idsInTtmp = false, .ieeeModes = true,
    .workgroupProcessors = false, .roundRobin = false, .prefetchBits = 0,
    .codeLine = 64, .codePadding = 256, .codeEnd = 0xbf800000,
    .valuHazards = false, .schedulingMode = false, .skipsAndIndexes = true, .scratchBaseRegister = false,
    .firstNan = false, .alignedDots = false,
};
inline constexpr Generation gfx8 = [] {
  Generation row = gfx9;
  row.encodings = Encodings::Gfx8;
  row.opcodeMarks = gfx8Marks;
  row.vmcnt = {0, 4};
  row.globalOffsetBits = row.scalarOffsetBits = 0;
  return row;
}();
inline constexpr Generation gfx10 = [] {
  Generation row = gfx9;
  row.encodings = Encodings::Gfx10;
  row.opcodeMarks = gfx10Marks;
  row.storeCounter = true;
  row.lgkmcnt = {8, 6};
  row.waitSection = "RDNA2 ISA, S_WAITCNT";
  row.barriersOrderMemory = false;
  row.globalOffsetBits = 12;
  row.unifiedFormats = row.boundsMode = true;
  row.countsSgprs = false;
  row.workgroupProcessors = true;
  row.codePadding = 192;
  row.codeEnd = 0xbf9f0000;
  row.skipsAndIndexes = false;
  row.scratchBaseRegister = true;
  return row;
}();
inline constexpr Generation gfx11 = [] {
  Generation row = gfx10;
  row.encodings = Encodings::Gfx11;
  row.opcodeMarks = gfx11Marks;
  row.vmcnt = {10, 6}, row.expcnt = {0, 3}, row.lgkmcnt = {4, 6};
  row.waitSection = "RDNA3 ISA, S_WAITCNT";
  row.globalOffsetBits = 13;
  row.prefetchBits = 8;
  row.codeLine = 128;
  row.codePadding = 384;
  return row;
}();
inline constexpr Generation gfx12{
    .encodings = Encodings::Gfx12, .opcodeMarks = gfx12Marks,
    .splitCounters = true, .storeCounter = false,
    .vmcnt = {}, .expcnt = {0, 3}, .lgkmcnt = {},
    .vectorMemoryInOrder = false, .flatInOrder = true, .barriersOrderMemory = false,
    .nopStates = 1, .waitSection = "RDNA4 ISA 5.6, CDNA5 ISA 5.7.1",
    .globalOffsetBits = 24, .flatOffsetBits = 24, .scalarOffsetBits = 24, .hintAndScope = true,
    .unifiedFormats = true, .byteSelect = true, .boundsMode = true,
    .countsSgprs = false, .idsInTtmp = true, .ieeeModes = false,
    .workgroupProcessors = true, .roundRobin = true, .prefetchBits = 8,
    .codeLine = 128, .codePadding = 384, .codeEnd = 0xbf9f0000,
    .valuHazards = true, .schedulingMode = true, .skipsAndIndexes = false, .scratchBaseRegister = true,
    .firstNan = true, .alignedDots = true,
};
// clang-format on

} // namespace fly::target::generation
