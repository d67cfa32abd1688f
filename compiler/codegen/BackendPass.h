// Passes of our own in LLVM's backend.
#pragma once

#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/Pass.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include "llvm/Target/TargetMachine.h"

#include <functional>

namespace fly::codegen {

inline bool optimizes(const llvm::TargetMachine &machine) {
  return machine.getOptLevel() != llvm::CodeGenOptLevel::None;
}

/// Has every later run of the backend execute `Pass` after the pass `after`, for machines that are `wanted`. `name` is
/// how options call it. Once per pass.
template <typename Pass> void installBackendPass(const char *name, const char *description, llvm::AnalysisID after,
                                                 std::function<bool(const llvm::TargetMachine &)> wanted = nullptr) {
  // Never destroyed, because LLVM's registries that contain them may be destroyed earlier.
  static auto *registered = new llvm::RegisterPass<Pass>(name, description);
  static auto *callback = new llvm::RegisterTargetPassConfigCallback(
      [=](llvm::TargetMachine &machine, llvm::PassManagerBase &, llvm::TargetPassConfig *config) {
        if (!wanted || wanted(machine))
          config->insertPass(after, &Pass::ID);
      });
  (void)registered, (void)callback;
}

/// Has every later run of the backend leave a pass out. Once per pass.
inline void leaveBackendPassOut(llvm::AnalysisID pass) {
  new llvm::RegisterTargetPassConfigCallback( // never destroyed, as above; LLVM's list of callbacks has it
      [=](llvm::TargetMachine &, llvm::PassManagerBase &, llvm::TargetPassConfig *config) {
        config->disablePass(pass);
      });
}

} // namespace fly::codegen
