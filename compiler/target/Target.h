// What the compiler knows of each GPU architecture, as data: one table row an architecture, no `if` over
// architecture names anywhere else.
//
//     const fly::target::Target *t = fly::target::find("gfx942");
//     t->waveSize;                       // 64
//     t->has("mfma");                    // true: a feature of the row
//     t->has("v_permlane16_swap_b32");   // false: an instruction, asked of LLVM's tables
//
// How many waves fit is worked out by fly::isa::occupancy from finished code.
//
// No LLVM here, so that the front end and tests link it alone; whoever links LLVM's AMDGPU tables installs
// the instruction query (fly::codegen::initialize does).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fly::target {

/// How the hardware encodes 8-bit floats: `Fnuz` (no infinity, no negative zero, gfx940 family) or `Ocp`.
enum class Fp8Flavour { Fnuz, Ocp };

/// One kind of vector or scalar register as the allocator of the hardware sees it.
struct RegisterFile {
  uint32_t addressable;            ///< registers that one wave can name
  uint32_t perSimd;                ///< registers that the waves of one SIMD share, at the row's wave size
  uint32_t granule;                ///< allocation is a multiple of this
};

struct Target {
  std::string_view name;           ///< "gfx942"
  std::string_view family;         ///< "CDNA 3"
  std::string_view products;       ///< for `flyc targets`; may be empty
  uint32_t elfMachine;             ///< EF_AMDGPU_MACH_* in the low byte of e_flags
  uint32_t waveSize;               ///< lanes, the default and the one kernels are compiled for
  uint32_t maxWorkgroupSize;       ///< threads
  uint32_t maxClusterSize = 1;     ///< workgroups; 1: no clusters
  unsigned codeObjectVersion = 5;  ///< 5: ROCm 5.5 and later load it; 6: ROCm 6.3 and later
  uint32_t ldsBytes;               ///< one workgroup can have
  uint32_t ldsPerComputeUnit;      ///< bytes the workgroups on one compute unit share
  uint32_t ldsGranule;             ///< bytes, allocation is a multiple of this
  RegisterFile vgprs;              ///< with `unifiedRegisters`, VGPRs and AGPRs together
  uint32_t agprs;                  ///< that one wave can name; 0: no accumulation registers
  bool unifiedRegisters;           ///< VGPRs and AGPRs are one file
  RegisterFile sgprs;              ///< perSimd 0: never limits the occupancy
  uint32_t simdsPerComputeUnit;
  uint32_t maxWavesPerSimd;
  Fp8Flavour fp8;
  uint32_t bufferFlags;            ///< of llvm.amdgcn.make.buffer.rsrc: raw, with bounds
  bool buffersCheckScalar;         ///< the scalar part of an offset is compared with the end, too
  bool buffersCheckDwords;         ///< each dword of an access is inside or outside; else the access as a whole
  uint32_t bufferOffsetLimit;      ///< bytes, the largest number in the instruction itself
  std::span<const std::string_view> features; ///< sorted

  /// A feature of this row ("mfma") or an instruction by its assembly name ("v_exp_f32"). Instructions need the
  /// query below; without it only features are known.
  bool has(std::string_view featureOrInstruction) const;
};

/// Null when there is no such architecture.
const Target *find(std::string_view name);
/// All rows, in the order in which `flyc targets` lists them.
std::span<const Target> all();
/// "gfx942, gfx950, gfx1201, gfx1250": for messages.
std::string names();

/// Answers whether an architecture has an instruction, by its assembly name. Installed once, at start.
using InstructionQuery = bool (*)(const Target &target, std::string_view instruction);
void setInstructionQuery(InstructionQuery query);

} // namespace fly::target
