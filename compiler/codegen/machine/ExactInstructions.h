// Machine instructions that LLVM's selection does not choose, by name.
//
//     asm "fly.opcode V_WMMA_F32_16X16X16_F16_w32_twoaddr 8 $1 8 $2 8 $3 0 0", "=&v,v,v,0"
//     asm "fly.asm v_fma_f32 $0, -$1, $2, 1.0 clamp", "=v,v,v"
//
// in the IR are requests (compiler/protocol/Opcode.h, Assembly.h): after instruction selection a pass replaces the
// statement with the instruction of that name in LLVM's tables, or of these words for the assembler (ExactAssembly.h).
// Unlike text for the assembler it has registers, latency and hazards that LLVM knows, so that LLVM schedules it and
// keeps its distances and waits.
#pragma once

namespace fly::codegen {

struct BackendPass;

/// Replaces the statements. An unknown name, or operands that do not fit, are an error of the backend.
BackendPass exactInstructionsPass();
/// The same of those without registers, when no later pass would delete them.
BackendPass lateExactInstructionsPass();

} // namespace fly::codegen
