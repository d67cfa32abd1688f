// Machine instructions that LLVM's selection does not choose, by name.
//
//     asm "fly.isa V_WMMA_F32_16X16X16_F16_w32_twoaddr 8 $1 8 $2 8 $3 0 0", "=&v,v,v,0"
//
// in the IR is a request: after instruction selection a pass replaces the statement with the instruction of that name
// in LLVM's tables. The words are its operands after the results, in the order of the tables: numbers, and `$n` for the
// n-th operand of the statement. Unlike text for the assembler it has registers, latency and hazards that LLVM knows,
// so that LLVM schedules it and keeps its distances and waits.
//
//     asm "fly.exact v_fma_f32 $0, -$1, $2, 1.0 clamp", "=v,v,v"
//
// is the same for an instruction in the assembler's own words (ExactAssembly.h).
#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
}

namespace fly::codegen {

/// What such a statement starts with.
constexpr llvm::StringLiteral exactInstruction = "fly.isa ";

/// The same in the assembler's words.
constexpr llvm::StringLiteral exactAssembly = "fly.exact ";

/// Marks the statements without side effects as what they are: they touch no memory, and the lanes of a wave execute
/// them together. The same of those with a comment alone, which stand for registers that nothing was written to. Where
/// one accesses LDS, keeps what the kernel reads of it.
void markExactInstructions(llvm::Module &module);

/// Has every later run of the backend replace the statements. An unknown name or operands that do not fit are an error
/// of the backend. Once per process.
void installExactInstructions();

} // namespace fly::codegen
