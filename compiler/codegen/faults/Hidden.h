// Private: values that LLVM knows nothing about, not even that they are the same in all lanes.
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

namespace fly::codegen {

/// The value in a vector register, by way of an empty assembly statement. It has up to 64 bits, and is not a vector.
inline llvm::Value *hidden(llvm::IRBuilder<> &b, llvm::Value *value) {
  auto *signature = llvm::FunctionType::get(value->getType(), {value->getType()}, false);
  return b.CreateCall(llvm::InlineAsm::get(signature, "", "=v,0", /*hasSideEffects=*/false), {value});
}

} // namespace fly::codegen
