// A pass of ours among those of LLVM's backend. Each is declared by the header of its file and has a row in
// pipeline/Pipeline.cpp, which says where it runs and when.
//
//     BackendPass vgprBudgetPass() { return backendPass<VgprBudgetPass>(); }
#pragma once

#include "llvm/Pass.h"
#include "llvm/Target/TargetMachine.h"

namespace fly::codegen {

inline bool optimizes(const llvm::TargetMachine &machine) {
  return machine.getOptLevel() != llvm::CodeGenOptLevel::None;
}

struct BackendPass {
  llvm::AnalysisID id;
  llvm::Pass *(*create)();
};

template <typename Pass> BackendPass backendPass() {
  return {&Pass::ID, []() -> llvm::Pass * { return new Pass; }};
}

} // namespace fly::codegen
