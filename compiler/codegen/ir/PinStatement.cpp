// See PinStatement.h.
#include "compiler/codegen/ir/PinStatement.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

namespace fly::codegen {

std::optional<Pinned> pinnedBy(const llvm::Value *value) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(value);
  auto *statement = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
  return statement ? parsePinned(statement->getAsmString()) : std::nullopt;
}

} // namespace fly::codegen
