// A pass of ours among those of LLVM's backend. Each is declared by the header of its file and has a row in
// pipeline/Pipeline.cpp, which says where it runs and when.
//
//     struct VgprBudgetPass : PassBase<VgprBudgetPass, Keeps::Everything> {
//       bool runOnMachineFunction(llvm::MachineFunction &function) override { ... }
//     };
//
//     BackendPass vgprBudgetPass() { return backendPass<VgprBudgetPass>(); }
#pragma once

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/Pass.h"
#include "llvm/Target/TargetMachine.h"

namespace fly::codegen {

inline bool optimizes(const llvm::TargetMachine &machine) {
  return machine.getOptLevel() != llvm::CodeGenOptLevel::None;
}

/// Which of LLVM's analyses hold after a pass: none, those of blocks and jumps alone, all.
enum class Keeps { Nothing, ControlFlow, Everything };

/// What LLVM wants of each pass beside the work. `Pass` is the class that derives from it, and a class for each place
/// in the backend: LLVM knows a pass by its ID. Its name is that of its row.
template <typename Pass, Keeps keeps, typename Kind = llvm::MachineFunctionPass> struct PassBase : Kind {
  inline static char ID = 0;
  PassBase() : Kind(ID) {}
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    if constexpr (keeps == Keeps::ControlFlow)
      usage.setPreservesCFG();
    if constexpr (keeps == Keeps::Everything)
      usage.setPreservesAll();
    Kind::getAnalysisUsage(usage);
  }
};

struct BackendPass {
  llvm::AnalysisID id;
  llvm::Pass *(*create)();
};

template <typename Pass> BackendPass backendPass() {
  return {&Pass::ID, []() -> llvm::Pass * { return new Pass; }};
}

} // namespace fly::codegen
