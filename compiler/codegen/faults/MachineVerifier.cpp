// See MachineVerifier.h. The two places have a class each, because LLVM knows a pass by its ID.
#include "compiler/codegen/faults/MachineVerifier.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

namespace fly::codegen {

namespace {

template <typename Place> struct MachineVerifierPass final : PassBase<MachineVerifierPass<Place>, Keeps::Everything> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    std::string text;
    llvm::raw_string_ostream out(text);
    if (!function.verify(/*p=*/nullptr, Place::banner, &out, /*AbortOnError=*/false))
      function.getFunction().getContext().emitError("LLVM made machine code that its own verifier refuses\n" + text);
    return false;
  }
};

struct AfterDpp {
  static constexpr const char *banner = "after gcn-dpp-combine";
};
struct BeforeEmission {
  static constexpr const char *banner = "after si-pre-emit-peephole";
};

} // namespace

BackendPass machineVerifierPass() { return backendPass<MachineVerifierPass<AfterDpp>>(); }
BackendPass lastMachineVerifierPass() { return backendPass<MachineVerifierPass<BeforeEmission>>(); }

} // namespace fly::codegen
