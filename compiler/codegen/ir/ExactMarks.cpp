// See ExactMarks.h.
#include "compiler/codegen/ir/ExactMarks.h"

#include "compiler/protocol/Assembly.h"
#include "compiler/protocol/Opcode.h"
#include "compiler/protocol/Unwritten.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace fly::codegen {

/// Whether an exact instruction accesses LDS, perhaps at an address that is only a number.
static bool isLdsAccess(llvm::StringRef statement) {
  auto words = protocol::assemblyWords(statement);
  return words && (words->contains("ds_") || words->contains(" lds"));
}

/// LLVM takes what it does not see written for undefined.
static void keepLds(llvm::Module &module) {
  llvm::SmallVector<llvm::GlobalValue *> objects;
  for (llvm::GlobalVariable &object : module.globals())
    if (object.getAddressSpace() == static_cast<unsigned>(llvm::AMDGPUAS::LOCAL_ADDRESS))
      objects.push_back(&object);
  llvm::appendToCompilerUsed(module, objects);
}

void markExactInstructions(llvm::Module &module) {
  bool keepsLds = false;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      auto *statement = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
      if (!statement)
        continue;
      const llvm::StringRef text = statement->getAsmString();
      keepsLds |= statement->hasSideEffects() && isLdsAccess(text);
      const bool isUnwritten = protocol::isUnwritten(text);
      if (statement->hasSideEffects() || !(isUnwritten || protocol::isOpcode(text) || protocol::isAssembly(text)))
        continue;
      if (!isUnwritten)
        call->setConvergent();
      call->setDoesNotThrow();
      call->setDoesNotAccessMemory();
      call->addFnAttr(llvm::Attribute::WillReturn);
    }
  if (keepsLds)
    keepLds(module);
}

} // namespace fly::codegen
