// See PackedPairs.h. bf16 is computed in f32 and rounded once, as LLVM does it for single elements: every bit is the
// same.
#include "compiler/codegen/ir/PackedPairs.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace fly::codegen {

namespace {

bool isFma(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::fma;
}

bool isTakenApart(const llvm::Instruction &instruction) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
  if (!type || type->getNumElements() < 2)
    return false;
  const unsigned op = instruction.getOpcode();
  if (type->getElementType()->isFloatTy())
    return op == llvm::Instruction::FSub && type->getNumElements() > 2;
  return type->getElementType()->isBFloatTy() && (op == llvm::Instruction::FAdd || op == llvm::Instruction::FSub ||
                                                  op == llvm::Instruction::FMul || isFma(instruction));
}

/// Elements `first` and the next of a vector, or the last alone.
llvm::Value *pairOf(llvm::IRBuilder<> &b, llvm::Value *vector, unsigned first) {
  const unsigned count = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  if (first + 1 == count)
    return b.CreateExtractElement(vector, first);
  return count == 2 ? vector : b.CreateShuffleVector(vector, {int(first), int(first) + 1});
}

/// The instruction's arithmetic on these operands, in f32.
llvm::Value *computed(llvm::IRBuilder<> &b, llvm::Instruction &instruction, llvm::ArrayRef<llvm::Value *> operands) {
  llvm::Type *type = operands[0]->getType(), *wide = type->getWithNewType(b.getFloatTy());
  llvm::SmallVector<llvm::Value *, 3> widened;
  for (llvm::Value *operand : operands)
    widened.push_back(type == wide ? operand : b.CreateFPExt(operand, wide));
  llvm::Value *result =
      isFma(instruction) ? b.CreateIntrinsic(llvm::Intrinsic::fma, {wide}, widened)
                         : b.CreateBinOp(llvm::Instruction::BinaryOps(instruction.getOpcode()), widened[0], widened[1]);
  return type == wide ? result : b.CreateFPTrunc(result, type);
}

llvm::Value *inPairs(llvm::Instruction &instruction) {
  llvm::IRBuilder<> b(&instruction);
  b.setFastMathFlags(instruction.getFastMathFlags());
  auto *type = llvm::cast<llvm::FixedVectorType>(instruction.getType());
  const unsigned operands = isFma(instruction) ? 3 : 2;
  llvm::Value *whole = llvm::PoisonValue::get(type);
  for (unsigned first = 0; first < type->getNumElements(); first += 2) {
    llvm::SmallVector<llvm::Value *, 3> pair;
    for (unsigned i = 0; i < operands; ++i)
      pair.push_back(pairOf(b, instruction.getOperand(i), first));
    llvm::Value *result = computed(b, instruction, pair);
    if (type->getNumElements() == 2)
      return result;
    if (!result->getType()->isVectorTy())
      whole = b.CreateInsertElement(whole, result, first);
    else
      for (unsigned i : {0u, 1u})
        whole = b.CreateInsertElement(whole, b.CreateExtractElement(result, i), first + i);
  }
  return whole;
}

/// The bits of a conversion of f32 to an even number of bf16, as 16-bit integers; null for others.
llvm::FPTruncInst *conversionOf(const llvm::Instruction &instruction) {
  auto *bits = llvm::dyn_cast<llvm::BitCastInst>(&instruction);
  auto *rounded = bits ? llvm::dyn_cast<llvm::FPTruncInst>(bits->getOperand(0)) : nullptr;
  auto *from = rounded ? llvm::dyn_cast<llvm::FixedVectorType>(rounded->getType()) : nullptr;
  const bool isPairs = from && from->getElementType()->isBFloatTy() && from->getNumElements() % 2 == 0 &&
                       rounded->getSrcTy()->getScalarType()->isFloatTy() &&
                       bits->getType()->getScalarType()->isIntegerTy(16);
  return isPairs ? rounded : nullptr;
}

llvm::Value *bitsOfPairs(llvm::Instruction &instruction, llvm::FPTruncInst &rounded) {
  llvm::IRBuilder<> b(&instruction);
  llvm::Value *from = rounded.getOperand(0);
  const unsigned words = llvm::cast<llvm::FixedVectorType>(from->getType())->getNumElements() / 2;
  auto *pair = llvm::FixedVectorType::get(b.getBFloatTy(), 2);
  llvm::Value *all = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getInt32Ty(), words));
  for (unsigned word = 0; word < words; ++word) {
    llvm::Value *both = b.CreateFPTrunc(pairOf(b, from, 2 * word), pair);
    all = b.CreateInsertElement(all, b.CreateBitCast(both, b.getInt32Ty()), word);
  }
  return b.CreateBitCast(all, instruction.getType());
}

/// What bits of a word stay (for the absolute value) or change (for the negative one); 0 for other instructions.
struct SignChange {
  uint32_t keep = 0, flip = 0;
};
SignChange signChange(const llvm::Instruction &instruction) {
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
  if (!type || !type->getElementType()->isBFloatTy() || type->getNumElements() % 2 != 0)
    return {};
  if (instruction.getOpcode() == llvm::Instruction::FNeg)
    return {0, 0x80008000};
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::fabs ? SignChange{0x7fff7fff, 0} : SignChange{};
}

} // namespace

void changeSignsInWords(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      const SignChange change = signChange(instruction);
      if (!change.keep && !change.flip)
        continue;
      llvm::IRBuilder<> b(&instruction);
      const unsigned words = llvm::cast<llvm::FixedVectorType>(instruction.getType())->getNumElements() / 2;
      auto *type = llvm::FixedVectorType::get(b.getInt32Ty(), words);
      auto mask = [&](uint32_t bits) {
        return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(words), b.getInt32(bits));
      };
      llvm::Value *bits = b.CreateBitCast(instruction.getOperand(0), type);
      bits = change.flip ? b.CreateXor(bits, mask(change.flip)) : b.CreateAnd(bits, mask(change.keep));
      instruction.replaceAllUsesWith(b.CreateBitCast(bits, instruction.getType()));
      instruction.eraseFromParent();
    }
}

void packPairs(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::FPTruncInst *rounded = conversionOf(instruction);
      if (!rounded && !isTakenApart(instruction))
        continue;
      instruction.replaceAllUsesWith(rounded ? bitsOfPairs(instruction, *rounded) : inPairs(instruction));
      instruction.eraseFromParent();
    }
}

} // namespace fly::codegen
