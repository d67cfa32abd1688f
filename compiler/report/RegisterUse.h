// What the code uses of the registers and the LDS that the kernel's descriptor allocates.
//
//     v  highest v250: 251 of 256 allocated
//
// A register counts as used if an instruction names it. With an index (s_set_gpr_idx_*, v_movrel*) an instruction may
// reach any register beyond that, and so may a callee; then the figures are lower bounds.
//
// Which bytes of LDS are touched is known only where addresses are constants: a register whose last write in the block,
// or all of whose writes in the code, move the same constant into it.
#pragma once

#include "compiler/dataflow/RegisterUse.h"
#include "compiler/report/Code.h"

#include <optional>

namespace fly::report {

using dataflow::RegisterUse;
/// Where functions are called, `atLeast`.
RegisterUse registersUsed(const Code &code);

/// What the descriptor allocates; of the scalar file, what a wave may address where that is not a choice. Vector
/// registers in granules: one file of gfx90a and later is split at accum_offset.
struct RegisterAllocation {
  uint32_t vgprs = 0, agprs = 0, sgprs = 0;
};
RegisterAllocation registersAllocated(const isa::CodeObject &object, const isa::Kernel &kernel);

struct LdsUse {
  uint32_t accesses = 0;           ///< instructions that access LDS, with moves from memory and flat ones
  uint32_t constant = 0;           ///< those of them whose address is known
  std::optional<uint32_t> touched; ///< end of the highest byte; only if all are known and nothing is called
  uint32_t highestOffset = 0;      ///< end of the highest access if its register held 0: offset plus width
};
LdsUse ldsUsed(const Code &code);

} // namespace fly::report
