// What the project knows of each GPU architecture, as data: one table row per architecture, so that other code asks for
// a fact and not for a name. The decoder (compiler/isa), the reports and the emulator take their facts from the same
// rows.
//
//     const fly::target::Target *t = fly::target::find("gfx942");
//     t->waveSize;                       // 64
//     t->has("mfma");                    // true: a feature of the row
//     t->has("v_permlane16_swap_b32");   // false: an instruction, looked up in LLVM's tables
//
// How many waves fit is worked out by fly::isa::occupancy from finished code.
//
// No LLVM here, so that the front end and tests link it alone; programs that link LLVM's AMDGPU tables install
// the instruction query (fly::codegen::initialize does).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fly::target {

/// Generations of encodings, of instructions and of kernel descriptors, in order of age. Only the decoder's tables of
/// bits ask which it is (compiler/isa); what follows from a generation otherwise is a column of `Generation`.
enum class Encodings : uint8_t { Gfx8, Gfx9, Gfx10, Gfx11, Gfx12 };

/// Where a count stands in the operand of a wait. Without bits, it does not stand there.
struct WaitField {
  uint8_t shift = 0, bits = 0;
  uint8_t highShift = 0, highBits = 0; ///< the count's upper bits, if they stand apart

  /// All ones: not waited for, and what the counter holds.
  constexpr uint8_t largest() const { return static_cast<uint8_t>((1u << (bits + highBits)) - 1); }
};

/// What all targets of a generation have in common: a row of Generations.h, which names the sources.
struct Generation {
  Encodings encodings;
  std::span<const std::string_view> opcodeMarks; ///< in names of LLVM's opcodes: "vi", "gfx9"

  // Waits for memory.
  bool splitCounters;               ///< a counter and an instruction for each kind of access; else `s_waitcnt`
  bool storeCounter;                ///< stores count in vscnt, which `s_waitcnt_vscnt` waits for
  WaitField vmcnt, expcnt, lgkmcnt; ///< of `s_waitcnt`; expcnt also of `s_wait_expcnt`
  bool vectorMemoryInOrder;         ///< loads write their VGPRs in the order of issue, of one counter
  bool flatInOrder;                 ///< FLAT accesses are done in order; else each may go to LDS or to memory
  bool barriersOrderMemory;     ///< the waves of a workgroup share a cache that works in the order of issue, so that a
                                ///< barrier orders their accesses without a wait
  uint8_t nopStates;            ///< wait states of the longest s_nop that flyc writes
  std::string_view waitSection; ///< of the manuals

  // Bits of offsets in instructions; they are signed. 0: unsigned.
  uint8_t globalOffsetBits, flatOffsetBits, scalarOffsetBits;
  bool hintAndScope;   ///< the cache policy has a temporal hint and a scope; else separate bits
  bool unifiedFormats; ///< one number for the data and number format of a buffer
  bool byteSelect;     ///< conversions of 8-bit floats have byte_sel; else op_sel
  bool boundsMode;     ///< a buffer resource has OOB_SELECT, and an index replaces the lane's number

  // Kernel descriptors, and how waves start.
  bool countsSgprs;         ///< the descriptor says how many SGPRs; else each wave has all that it can name
  bool idsInTtmp;           ///< the workgroup's place is in TTMP9 and TTMP7; else in SGPRs after the user SGPRs
  bool ieeeModes;           ///< MODE and descriptor have IEEE and DX10_CLAMP
  bool workgroupProcessors; ///< the descriptor has WGP_MODE, MEM_ORDERED and FWD_PROGRESS
  bool roundRobin;          ///< the descriptor has ENABLE_WG_RR_EN
  uint8_t prefetchBits;     ///< of the descriptor's INST_PREF_SIZE; 0: it has none
  uint8_t codeLine;         ///< bytes of a line of the instruction cache
  uint16_t codePadding;     ///< bytes after the code that it may fetch ahead
  uint32_t codeEnd;         ///< the instruction that stands there

  // What instructions do.
  bool valuHazards;         ///< software keeps some VALU instructions apart (compiler/isa/Hazards.h)
  bool schedulingMode;      ///< MODE's neighbour SCHED_MODE lets the hardware wait for less
  bool skipsAndIndexes;     ///< MODE has VSKIP and GPR_IDX_EN
  bool scratchBaseRegister; ///< hardware register 20 is the address of scratch memory; else the XCC's number
  bool firstNan;            ///< minNum and maxNum of two NaNs is the first, quieted; else the second
  bool alignedDots;         ///< dot products round once, not after each addition
};

/// How the hardware encodes 8-bit floats: `Fnuz` (no infinity, no negative zero, gfx940 family) or `Ocp`.
enum class Fp8Flavour { Fnuz, Ocp };

/// The bits of a cache policy (CachePolicies.h): glc, slc, dlc; sc0, nt, sc1; hint and scope, on gfx1250 with nv.
enum class CacheFields : uint8_t { GlcSlcDlc, Sc0NtSc1, HintScope, HintScopeNv };

/// Whether registers and memory have ECC, so that writing half of a register clears the other half. `Either`: the code
/// object says which it is for.
enum class RegisterEcc : uint8_t { No, Either, Yes };

/// The rules of the wait states that software keeps between instructions (compiler/isa/WaitStates.cpp).
enum class WaitStateRules : uint8_t { None, Cdna3, Cdna4 };

/// One kind of vector or scalar register as the allocator of the hardware sees it.
struct RegisterFile {
  uint32_t addressable; ///< registers that one wave can name
  uint32_t perSimd;     ///< registers that the waves of one SIMD share, at the row's wave size
  uint32_t granule;     ///< allocation is a multiple of this
};

struct Target {
  std::string_view name;      ///< "gfx942"
  std::string_view family;    ///< "CDNA 3"
  std::string_view products;  ///< for `flyc targets`; may be empty
  std::string_view processor; ///< LLVM's -mcpu to decode with; empty: the name
  uint32_t elfMachine;        ///< EF_AMDGPU_MACH_* in the low byte of e_flags
  Generation generation;
  uint32_t waveSize;              ///< lanes, the default and the one kernels are compiled for
  uint32_t maxWorkgroupSize;      ///< threads
  uint32_t maxClusterSize = 1;    ///< workgroups; 1: no clusters
  unsigned codeObjectVersion = 5; ///< 5: ROCm 5.5 and later load it; 6: ROCm 6.3 and later
  uint32_t ldsBytes;              ///< one workgroup can have
  uint32_t ldsPerComputeUnit;     ///< bytes the workgroups on one compute unit share
  uint32_t ldsGranule;            ///< bytes, allocation is a multiple of this
  uint32_t ldsReadBanks;          ///< that serve the lanes of one phase (LdsBanks.h)
  uint32_t ldsWriteBanks;
  RegisterFile vgprs;       ///< with `unifiedRegisters`, VGPRs and AGPRs together
  uint32_t descriptorVgprs; ///< a kernel descriptor counts VGPRs in units of this, at the row's wave size
  uint32_t agprs;           ///< that one wave can name; 0: no accumulation registers
  bool unifiedRegisters;    ///< VGPRs and AGPRs are one file
  RegisterFile sgprs;       ///< perSimd 0: never limits the occupancy
  uint32_t simdsPerComputeUnit;
  uint32_t maxWavesPerSimd;
  uint32_t maxWorkgroupsPerComputeUnit; ///< of more than one wave: they need a barrier
  Fp8Flavour fp8;
  uint32_t bufferFlags;       ///< of llvm.amdgcn.make.buffer.rsrc: raw, with bounds
  bool buffersCheckScalar;    ///< the scalar part of an offset is compared with the end, too
  bool buffersCheckDwords;    ///< each dword of an access is inside or outside; else the access as a whole
  uint32_t bufferOffsetLimit; ///< bytes, the largest number in the instruction itself
  CacheFields cacheFields;
  std::span<const std::string_view> features; ///< sorted
  bool microbenchmarks = false;               ///< `flyc calibrate` has kernels that measure it (compiler/calibrate)

  // Needed only by code that reads or executes machine code; false unless the row says otherwise.
  bool translationCounter = false;  ///< xcnt counts address translations
  bool gfx125Descriptor = false;    ///< a kernel descriptor has six bits for user SGPRs, and named barriers
  bool wideBuffers = false;         ///< buffer resources with 57 bits of address and 45 of records
  bool signedScalarOffset = false;  ///< global with a scalar base: the vector offset is signed
  bool cdna5Arithmetic = false;     ///< where CDNA5's manual departs from RDNA's; the emulator says at each place how
  bool globalScratch = false;       ///< a flat scratch address holds the lane in bits 56:52
  bool zeroesHigh16 = false;        ///< 16-bit results clear the register's high half
  bool preloadPrologue = false;     ///< with preloaded arguments a wave starts 256 bytes after the entry
  bool separateWorkitemIds = false; ///< a wave starts with them in v0, v1, v2; else 10 bits each in v0
  bool clampedFp8IsE5M3 = false;    ///< conversions with clamp take FP8 for the unsigned format
  WaitStateRules waitStates = WaitStateRules::None;
  bool sgprHazards = false; ///< an SGPR that VALU read must be written and read with waits (compiler/isa/SgprHazards.h)
  RegisterEcc registerEcc = RegisterEcc::No;
  bool splitWorkgroups = false; ///< in WGP mode the waves of a workgroup have two vector caches between them
  bool severalL2 = false;       ///< a release of scope agent writes caches back, since L2s are several
  bool pairedWmma = false;      ///< WMMA adds products in aligned pairs, and saturates no 16-bit sum
  bool dmaOnVectorPipe = false; ///< copies to LDS and of the tensor mover are issued on the VALU's pipe
  bool negativeFp8Nan = false;  ///< conversions to 8-bit floats make the negative NaN, whatever its sign was

  /// A feature of this row alone, without the query below.
  bool hasFeature(std::string_view feature) const;
  /// 32 or 64 lanes; rows may have both.
  bool hasWaveSize(uint32_t lanes) const;
  /// A number of VGPRs of the row (`perSimd`, `granule`, `descriptorVgprs`) for waves of that size: waves of twice the
  /// lanes have half of the registers.
  uint32_t vgprsAt(uint32_t lanes, uint32_t vgprs) const;
  /// A feature of this row ("mfma") or an instruction by its assembly name ("v_exp_f32"). Instructions need the
  /// query below; without it only features are known.
  bool has(std::string_view featureOrInstruction) const;
};

/// Null when there is no such architecture.
const Target *find(std::string_view name);
/// All rows that flyc compiles for and the emulator runs, in the order in which `flyc targets` lists them.
std::span<const Target> all();

/// Rows of architectures whose code objects can only be read (Readable.cpp).
std::span<const Target> readable();
/// A row of all() or readable(); null when there is no such architecture.
const Target *findReadable(std::string_view name);
/// The same by the machine; of e_flags only the low byte counts.
const Target *findMachine(uint32_t eFlags);
/// "gfx942, gfx950, gfx1201, gfx1250": for messages.
std::string names();

/// Answers whether an architecture has an instruction, by its assembly name. Installed once, at start.
using InstructionQuery = bool (*)(const Target &target, std::string_view instruction);
void setInstructionQuery(InstructionQuery query);

} // namespace fly::target
