// Registers that a program names: storage in fixed registers, which nothing else uses.
//
//     %x = call <4 x i32> asm sideeffect "fly.pin v 96 4", "=v"()       what v[96:100] hold
//     call void asm sideeffect "fly.pin v 96 4", "v"(<4 x i32> %y)      puts %y there
//
// in the IR are a read and a write of such storage; the file is v, a or s. These statements keep their order. They are
// no instructions: after instruction selection a pass makes the registers operands of the instructions that use what
// was read, and results of those that compute what is written. It moves nothing, and no later pass can: the registers
// are reserved, because
//
//     v   the compiler's own budget ends below the first one that is pinned (VgprBudget.h)
//     a   all AGPRs are taken out of allocation; accumulators that are not pinned stay in VGPRs
//     s   the budget of scalar registers ends below the first one that is pinned
//
// An instruction that cannot name the register works on a copy: a VALU instruction has no AGPRs. A copy is refused in a
// loop if an order of the instructions exists that needs none: where a value is used after its register was
// overwritten, or is computed before the former one was used.
#pragma once

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace fly::codegen {

struct BackendPass;

/// Takes the registers that the module's kernels pin out of allocation. Before settleAccumulators.
void settlePinned(llvm::Module &module);

/// Whether a kernel, which is settled, pins registers of any file.
bool pinsRegisters(const llvm::Function &function);

/// Whether a kernel, which is settled, pins AGPRs.
bool pinsAgprs(const llvm::Function &function);

/// Puts the registers into instructions. After all passes that work on single values and take a register for one.
BackendPass pinnedRegistersPass();
/// The same for a backend that does not optimize.
BackendPass unoptimizedPinnedRegistersPass();

} // namespace fly::codegen
