// `isa.NAME(...)` in a kernel that LLVM compiles: any instruction of the target, by the name that its assembler uses.
//
//   d = isa.v_fma_f32(x, y, 1.0, clamp=True)             the operands in the assembler's order, without the results
//   d = isa.v_fmac_f32(d, x, y)                          a result that is read, too, is an operand
//   low, carry = isa.v_add_co_u32(x, y)                  two results: a number, and a bool for each lane
//   isa.buffer_store_dword(v, voffset, buffer(t), 0, offen=True, offset=64)
//
// Which operands there are, how wide they are and in which files they may be, LLVM's assembler says (compiler/isa/
// OperandShapes.h). Registers are chosen, and waits placed, by LLVM's backend (compiler/codegen/machine/ExactAssembly.h).
#pragma once

#include "compiler/sema/elaborator/Builtins.h"

namespace fly::sema {

/// The module that has them.
inline constexpr llvm::StringLiteral isaModule = "fly.amd.isa";
/// The function for an instruction of this name; none if no target has it.
std::optional<Value> exactInstruction(Elaborator &e, llvm::StringRef name);

} // namespace fly::sema
