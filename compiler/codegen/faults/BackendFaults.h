// Rewrites code that the AMDGPU backend of LLVM 22 would compile to wrong results, or far from where it stands.
//
// Each entry names the fault, how it shows and the workaround; a kernel in tests/language/backend-faults.fly fails
// without it (without the one about scaled products, `mx_gemm.fly` uses scratch memory). When LLVM fixes a fault, its
// entry is removed.
#pragma once

#include "llvm/IR/OptBisect.h"

namespace llvm {
class Module;
}

namespace fly::codegen {

/// Rewrites, in optimised IR, what instruction selection mistakes: carries of 64-bit sums, sums with zero.
void rewriteMistaken(llvm::Module &module);

/// Decides which backend passes may run on a module: install it as the context's gate.
class PassGate final : public llvm::OptPassGate {
public:
  /// Without `pairs`, VALU instructions stay single on targets with VOPD.
  PassGate(const llvm::Module &module, bool pairs);
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef description) const override;
  bool isEnabled() const override { return true; }

private:
  bool subDwordAddressing, pairs, sinks;
};

} // namespace fly::codegen
