// See LoadsUnderWay.h. The mark of a loop's load is `llvm.fake.use`: InstCombine moves only what has one user.
//
// Conditional loads: an empty assembly statement returns the constant, each word of it in a scalar register; without
// an operand, it yields vector registers that were never written. So the code at the branch is unchanged: one move per
// register, or none.
#include "compiler/codegen/ir/LoadsUnderWay.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace fly::codegen {

namespace {

/// The constant that the optimizer takes a value for, including unspecified values, which it makes zero.
llvm::Constant *constantOf(llvm::Value *value) {
  if (auto *frozen = llvm::dyn_cast<llvm::FreezeInst>(value);
      frozen && llvm::isa<llvm::UndefValue>(frozen->getOperand(0)))
    value = frozen->getOperand(0);
  return llvm::dyn_cast<llvm::Constant>(value);
}

/// The side of a phi of two that is such a constant, where the other is a load in a block that ends with the way to the
/// phi; -1 if there is none.
int otherSide(llvm::PHINode &phi) {
  if (phi.getNumIncomingValues() != 2)
    return -1;
  for (unsigned side : {0u, 1u}) {
    auto *load = llvm::dyn_cast<llvm::LoadInst>(phi.getIncomingValue(side));
    if (load && load->getParent() == phi.getIncomingBlock(side) && load->getParent()->getSingleSuccessor() &&
        constantOf(phi.getIncomingValue(1 - side)))
      return int(1 - side);
  }
  return -1;
}

/// The constant as words of 32 bits that are all the same; null if it is not.
llvm::ConstantInt *wordOf(llvm::Constant *value, llvm::Type *word) {
  if (value->isNullValue())
    return llvm::ConstantInt::get(llvm::cast<llvm::IntegerType>(word), 0);
  llvm::Constant *element = value->getType()->isVectorTy() ? value->getSplatValue() : value;
  llvm::APInt bits;
  if (auto *number = llvm::dyn_cast_or_null<llvm::ConstantFP>(element))
    bits = number->getValueAPF().bitcastToAPInt();
  else if (auto *number = llvm::dyn_cast_or_null<llvm::ConstantInt>(element))
    bits = number->getValue();
  else
    return nullptr;
  if (32 % bits.getBitWidth() != 0)
    return nullptr;
  return llvm::ConstantInt::get(word->getContext(), llvm::APInt::getSplat(32, bits));
}

/// A value like `constant` that the optimizer does not know; null where that is not worth its price.
llvm::Value *hiddenConstant(llvm::IRBuilder<> &b, llvm::Constant *constant) {
  llvm::Type *type = constant->getType(), *word = b.getInt32Ty();
  const llvm::TypeSize size = type->getPrimitiveSizeInBits();
  if (size.isScalable() || size == 0 || size.getFixedValue() % 32 != 0)
    return nullptr;
  const unsigned count = unsigned(size.getFixedValue() / 32);
  llvm::Type *words = count == 1 ? word : llvm::FixedVectorType::get(word, count);
  if (llvm::isa<llvm::UndefValue>(constant)) // poison too
    return b.CreateBitCast(
        b.CreateCall(llvm::InlineAsm::get(llvm::FunctionType::get(words, false), "", "=v", /*hasSideEffects=*/false),
                     {}),
        type);
  llvm::ConstantInt *known = wordOf(constant, word);
  if (!known)
    return nullptr;
  auto *signature = llvm::FunctionType::get(word, {word}, false);
  llvm::Value *same = b.CreateCall(llvm::InlineAsm::get(signature, "", "=s,0", /*hasSideEffects=*/false), {known});
  return b.CreateBitCast(count == 1 ? same : b.CreateVectorSplat(count, same), type);
}

void hideConstants(llvm::PHINode &phi) {
  const int side = otherSide(phi);
  if (side < 0)
    return;
  llvm::IRBuilder<> b(phi.getIncomingBlock(unsigned(side))->getTerminator());
  if (llvm::Value *value = hiddenConstant(b, constantOf(phi.getIncomingValue(unsigned(side)))))
    phi.setIncomingValue(unsigned(side), value);
}

/// Of a loop's header: what the loop's last block loads for the next trip.
void markLoads(llvm::PHINode &phi, const llvm::DominatorTree &dominators) {
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    auto *load = llvm::dyn_cast<llvm::LoadInst>(phi.getIncomingValue(i));
    if (load && dominators.dominates(phi.getParent(), phi.getIncomingBlock(i)))
      llvm::IRBuilder<>(phi.getIncomingBlock(i)->getTerminator()).CreateIntrinsic(llvm::Intrinsic::fake_use, {load});
  }
}

} // namespace

void keepLoadsUnderWay(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    llvm::DominatorTree dominators(function);
    for (llvm::BasicBlock &block : function)
      for (llvm::PHINode &phi : block.phis()) {
        hideConstants(phi);
        markLoads(phi, dominators);
      }
  }
}

void removeLoadMarks(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
          call && call->getIntrinsicID() == llvm::Intrinsic::fake_use)
        call->eraseFromParent();
}

} // namespace fly::codegen
