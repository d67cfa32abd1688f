// The most VGPRs that a kernel may use: `@kernel(vgprs=n)`, "fly-vgprs"="n" on the LLVM function.
//
// LLVM's own "amdgpu-num-vgpr"="n" does not hold:
//
//   - on gfx942 and gfx950 it is twice n, for VGPRs and AGPRs together;
//   - everywhere it is raised until it would lower the number of waves per SIMD that LDS and workgroups allow. If LDS
//     has room for one workgroup only, a small budget has no effect at all.
//
// So it is halved where the register file is unified, AGPRs are left out, and LDS and workgroups are hidden from the
// allocator.
#pragma once

namespace llvm {
class MachineFunction;
class Module;
} // namespace llvm

namespace fly::target {
struct Target;
}

namespace fly::codegen {

struct BackendPass;

/// Translates "fly-vgprs" to LLVM's attributes. After settleAccumulators.
void settleVgprs(llvm::Module &module, const target::Target &target);

/// Lowers a function's budget while it is compiled, before registers are allocated. For unified register files.
void limitVgprs(llvm::MachineFunction &function, unsigned most);

/// Keeps budgets regardless of LDS.
BackendPass vgprBudgetPass();

} // namespace fly::codegen
