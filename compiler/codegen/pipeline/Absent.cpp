// Parts of LLVM that lld names and we never use, answered here, so that they stay out of the program.
//
// lld's ELF driver links link-time optimisation, which initialises every target this LLVM was built with (tens of
// megabytes of other machines' backends) and asks for Polly's plugin (a package of its own). We link machine code
// only. So the initialisers of all targets but AMDGPU do nothing here, and Polly's plugin is empty.
//
// How one target is left out of the lists in LLVM's .def files: its initialisers' names, once pasted together, are
// macros for names of ours.
#include "llvm/Plugins/PassPlugin.h"

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
