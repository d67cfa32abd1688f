// See PackedSubtraction.h. x - y is x + -y in every bit, but for the sign of a NaN, which nothing promises. The negation is one
// instruction for all elements, and an assembly statement of none behind it hides that it is one.
#include "compiler/codegen/PackedSubtraction.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace fly::codegen {

namespace {

/// x of `v - splat(x)` of f32, where that takes several instructions; null of anything else.
llvm::Value *subtrahendOf(llvm::Instruction &instruction) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
  if (instruction.getOpcode() != llvm::Instruction::FSub || !type || !type->getElementType()->isFloatTy())
    return nullptr;
  llvm::Value *x = llvm::getSplatValue(instruction.getOperand(1));
  return x && !llvm::isa<llvm::Constant>(x) ? x : nullptr;
}

/// -x behind the instruction or at the top of the function that gives x; null where nothing can stand there.
llvm::Value *negated(llvm::Value *x, llvm::Function &function) {
  llvm::BasicBlock::iterator place = function.getEntryBlock().getFirstInsertionPt();
  if (auto *definition = llvm::dyn_cast<llvm::Instruction>(x)) {
    std::optional<llvm::BasicBlock::iterator> behind = definition->getInsertionPointAfterDef();
    if (!behind)
      return nullptr;
    place = *behind;
  }
  llvm::IRBuilder<> b(place->getParent(), place);
  auto *signature = llvm::FunctionType::get(x->getType(), {x->getType()}, false);
  return b.CreateCall(llvm::InlineAsm::get(signature, "", "=v,0", /*hasSideEffects=*/false), {b.CreateFNeg(x)});
}

} // namespace

void packSubtractions(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::DenseMap<llvm::Value *, llvm::Value *> negatives;
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::Value *x = subtrahendOf(instruction);
      if (!x)
        continue;
      auto [known, isNew] = negatives.try_emplace(x);
      if (isNew)
        known->second = negated(x, function);
      if (!known->second)
        continue;
      llvm::IRBuilder<> b(&instruction);
      unsigned count = llvm::cast<llvm::FixedVectorType>(instruction.getType())->getNumElements();
      llvm::Value *sum = b.CreateFAddFMF(instruction.getOperand(0), b.CreateVectorSplat(count, known->second), &instruction);
      instruction.replaceAllUsesWith(sum);
      instruction.eraseFromParent();
    }
  }
}

} // namespace fly::codegen
