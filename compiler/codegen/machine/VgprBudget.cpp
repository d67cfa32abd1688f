// See VgprBudget.h. The allocator's limits come from GCNSubtarget::getMaxNumVGPRs, which asks the function's attributes
// for LDS and the sizes of workgroups, to see how many waves they allow. After instruction selection the attributes say
// that they allow all: no LDS, workgroups of one wave. Descriptor, metadata and addresses are not affected. They come
// from SIMachineFunctionInfo, which has taken its values by then, and from the largest workgroup.
#include "compiler/codegen/machine/VgprBudget.h"

#include "compiler/codegen/BackendPass.h"
#include "compiler/protocol/RegisterCounts.h"
#include "compiler/target/Target.h"

#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <optional>
#include <string>

namespace fly::codegen {

namespace {

constexpr llvm::StringRef agprsAllocated = "amdgpu-agpr-alloc", workgroupSizes = "amdgpu-flat-work-group-size",
                          llvmBudgetOf = "amdgpu-num-vgpr";

/// None: the function has none.
std::optional<unsigned> budgetOf(const llvm::Function &function) {
  return protocol::RegisterCount::read(function.getFnAttribute(protocol::vgprBudget.name).getValueAsString());
}

/// The scheduler counts what is reserved now, the allocator finds out again.
void hideWaves(llvm::MachineFunction &machineFunction) {
  llvm::Function &function = machineFunction.getFunction();
  function.addFnAttr("amdgpu-lds-size", "0");
  auto [least, most] = function.getFnAttribute(workgroupSizes).getValueAsString().split(',');
  if (!most.empty())
    function.addFnAttr(workgroupSizes, ("1," + most).str());
  machineFunction.getRegInfo().freezeReservedRegs();
}

/// LLVM doubles it where the file is unified.
std::string llvmBudget(unsigned vgprs, bool unified) {
  return std::to_string(unified ? std::max(vgprs / 2, 1u) : vgprs);
}

struct VgprBudgetPass : PassBase<VgprBudgetPass, Keeps::Everything> {
  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    if (function.getFunction().hasFnAttribute(protocol::vgprBudget.name))
      hideWaves(function);
    return false;
  }
};

} // namespace

BackendPass vgprBudgetPass() { return backendPass<VgprBudgetPass>(); }

void settleVgprs(llvm::Module &module, const target::Target &target) {
  for (llvm::Function &function : module) {
    const std::optional<unsigned> budget = budgetOf(function);
    if (!budget)
      continue;
    if (target.unifiedRegisters && !function.hasFnAttribute(agprsAllocated))
      function.addFnAttr(agprsAllocated, "0"); // the least: what is in AGPRs by choice; the budget leaves no others
    function.addFnAttr(llvmBudgetOf, llvmBudget(*budget, target.unifiedRegisters));
  }
}

void limitVgprs(llvm::MachineFunction &machineFunction, unsigned most) {
  llvm::Function &function = machineFunction.getFunction();
  if (std::optional<unsigned> budget = budgetOf(function); budget && *budget <= most)
    return;
  function.addFnAttr(llvmBudgetOf, llvmBudget(most, /*unified=*/true));
  hideWaves(machineFunction);
}

} // namespace fly::codegen
