// Live registers of a kernel or function: compiler/dataflow/Liveness.h, with what its instructions do by the calling
// convention, and what is set when it begins.
//
//     Liveness live(code);
//     live.before(i).vgprs;                  // registers, not granules
//
// Which writes end a live range: all that write the whole register, even if only for some lanes (EXEC). LLVM's register
// allocator counts in the same linear way, so the figures are comparable with a kernel's register count. If lanes are
// written one group after another (`x = a` before an `if` without a jump, `x = b` under its mask), the former value
// still exists for the other lanes but is not counted in between; it needs no additional register, because both share
// one. Writes of half a register, of selected lanes (v_writelane), and through an index do not end a live range.
//
// Calls: a callee may read the registers that the calling convention passes arguments in (LLVM's AMDGPUUsage,
// "Non-Kernel Functions": v0-v31, s0-s31 and s32, the stack pointer); of these, the ones that the caller has written
// count as read. It may overwrite the caller-saved registers, v0-v39 and from there eight of every sixteen, and s0-s29.
// That does not end a live range, because LLVM keeps values there across calls of functions that it knows to preserve
// them. A function's return reads those of v0-v31 that it has written.
#pragma once

#include "compiler/dataflow/Liveness.h"
#include "compiler/report/Code.h"

namespace fly::report {

namespace unit = dataflow::unit;
using dataflow::LiveCount;
using dataflow::RegisterEffects;

RegisterEffects effectsOf(const Code &code, uint32_t instruction);
/// The registers that are set when the code begins.
llvm::BitVector initialRegisters(const Code &code);

class Liveness : public dataflow::Liveness {
public:
  explicit Liveness(const Code &code);
};

} // namespace fly::report
