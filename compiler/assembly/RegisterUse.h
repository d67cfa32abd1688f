// How many registers of each file a program uses, and how many a wave may have.
//
// All waves of a workgroup are on one compute unit at the same time, so a workgroup of many waves leaves each of them a
// part of a SIMD's registers: of 16 waves on the four SIMDs of gfx942, 128. Where VGPRs and AGPRs are one file, they
// share that part, and AGPRs begin after the VGPRs, at a multiple of four.
#pragma once

#include "compiler/assembly/Program.h"
#include "compiler/dataflow/RegisterUse.h"

namespace fly::assembly {

using dataflow::RegisterUse;
/// Of instructions with chosen registers; s_set_vgpr_msb has been applied. Data does not count.
RegisterUse useOf(const Program &program, llvm::ArrayRef<isa::Instruction> code, llvm::ArrayRef<uint32_t> itemOf);

/// What the use takes of the file of VGPRs, with the AGPRs that are in it.
unsigned vectorRegisters(const target::Target &target, const RegisterUse &use);
/// Where AGPRs begin.
unsigned accumulatorOffset(const RegisterUse &use);

struct RegisterLimits {
  struct Limit {
    unsigned count;
    std::string why; ///< "a wave of gfx942 has 256"
  };
  Limit vgprs, agprs, sgprs;
  Limit both; ///< VGPRs and AGPRs
  const Limit &of(isa::RegisterFile file) const {
    return file == isa::RegisterFile::SGPR ? sgprs : file == isa::RegisterFile::VGPR ? vgprs : agprs;
  }
};
RegisterLimits limitsOf(const Program &program, const Budget &budget);
/// The largest workgroup, of at most `threads`, whose waves may have so many vector registers each.
unsigned largestWorkgroup(const target::Target &target, unsigned waveSize, unsigned registers, unsigned threads);

/// Registers by number, and VGPRs and AGPRs together, that are more than the limits allow.
std::vector<Problem> checkLimits(const Program &program, const RegisterLimits &limits,
                                 llvm::ArrayRef<isa::Instruction> code, llvm::ArrayRef<uint32_t> itemOf);

} // namespace fly::assembly
