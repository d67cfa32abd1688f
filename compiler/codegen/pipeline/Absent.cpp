// Parts of LLVM that others name and we never use, answered here, so that they stay out of the program.
//
// lld's ELF driver links link-time optimisation, which initialises every target this LLVM was built with (tens of
// megabytes of other machines' backends) and asks for Polly's plugin (a package of its own). We link machine code
// only. So the initialisers of all targets but AMDGPU do nothing here, and Polly's plugin is empty.
//
// How one target is left out of the lists in LLVM's .def files: its initialisers' names, once pasted together, are
// macros for names of ours.
//
// The AMDGPU backend makes two instruction selectors for each kernel's target: that of SelectionDAG, which compiles, and
// that of GlobalISel, which only the option `global-isel` would call (LlvmOptions.cpp leaves it out). The second is 2.4
// MB of tables. Its constructor is answered here by one that makes a selector which selects nothing. The caller
// allocates the size of LLVM's class, which is larger, and destroys it through the base's virtual destructor.
#include "llvm/CodeGen/GlobalISel/InstructionSelector.h"
#include "llvm/Plugins/PassPlugin.h"

#include <new>

#define LLVMInitializeAMDGPUTargetInfo flyUnusedTargetInfo
#define LLVMInitializeAMDGPUTarget flyUnusedTarget
#define LLVMInitializeAMDGPUTargetMC flyUnusedTargetMC
#define LLVMInitializeAMDGPUAsmPrinter flyUnusedAsmPrinter
#define LLVMInitializeAMDGPUAsmParser flyUnusedAsmParser

extern "C" {
#define LLVM_TARGET(name)                                                                                              \
  void LLVMInitialize##name##TargetInfo() {}                                                                           \
  void LLVMInitialize##name##Target() {}                                                                               \
  void LLVMInitialize##name##TargetMC() {}
#include "llvm/Config/Targets.def"
#define LLVM_ASM_PRINTER(name) void LLVMInitialize##name##AsmPrinter() {}
#include "llvm/Config/AsmPrinters.def"
#define LLVM_ASM_PARSER(name) void LLVMInitialize##name##AsmParser() {}
#include "llvm/Config/AsmParsers.def"
}

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "no-polly", "", [](llvm::PassBuilder &) {}, nullptr};
}

namespace {
class NoSelector : public llvm::InstructionSelector {
public:
  /// LLVM has allocated more than this class is large, so that a delete with its size would be wrong.
  void operator delete(void *self) { ::operator delete(self); }

private:
  bool select(llvm::MachineInstr &) override { return false; }
  void setupGeneratedPerFunctionState(llvm::MachineFunction &) override {}
};
} // namespace

// llvm::AMDGPUInstructionSelector::AMDGPUInstructionSelector(GCNSubtarget, AMDGPURegisterBankInfo, AMDGPUTargetMachine):
// its class is in no installed header.
extern "C" void makeNoSelector(void *self) __asm__(
    "_ZN4llvm25AMDGPUInstructionSelectorC1ERKNS_12GCNSubtargetERKNS_22AMDGPURegisterBankInfoERKNS_19AMDGPUTargetMachineE");
extern "C" void makeNoSelector(void *self) { new (self) NoSelector; }
