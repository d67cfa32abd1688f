// See Roundings.h. The barrier is `llvm.canonicalize`. It costs nothing after arithmetic, whose results are canonical.
#include "compiler/codegen/faults/Roundings.h"

#include "compiler/target/Target.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

namespace fly::codegen {

namespace {

using namespace llvm::PatternMatch;

bool has16Bits(const llvm::Type *type) { return type->getScalarType()->is16bitFPTy(); }

/// Instructions of the module for which the predicate holds.
template <typename Is> std::vector<llvm::Instruction *> collect(llvm::Module &module, Is is) {
  std::vector<llvm::Instruction *> found;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (is(instruction))
        found.push_back(&instruction);
  return found;
}

bool mentionsHalf(llvm::Module &module) {
  auto isHalf = [](const llvm::Value *value) { return value->getType()->getScalarType()->isHalfTy(); };
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (isHalf(&instruction) || llvm::any_of(instruction.operands(), isHalf))
        return true;
  return false;
}

llvm::Type *withElement(llvm::Type *type, llvm::Type *element) {
  auto *vector = llvm::dyn_cast<llvm::VectorType>(type);
  return vector ? llvm::VectorType::get(element, vector->getElementCount()) : element;
}

/// All that use the value get it by way of a barrier.
void putBarrierAfter(llvm::Instruction &value) {
  llvm::IRBuilder<> b(&*std::next(value.getIterator()));
  b.SetCurrentDebugLocation(value.getDebugLoc());
  llvm::Value *barrier = b.CreateUnaryIntrinsic(llvm::Intrinsic::canonicalize, &value);
  value.replaceUsesWithIf(barrier, [&](const llvm::Use &use) { return use.getUser() != barrier; });
}

/// What a selection pattern sees under a rounding.
llvm::Value *source(llvm::Value *value) {
  for (llvm::Value *inner = nullptr;;) {
    if (match(value, m_FNeg(m_Value(inner))) || match(value, m_ExtractElt(m_Value(inner), m_Value())) ||
        match(value, m_Freeze(m_Value(inner))) || match(value, m_FAbs(m_Value(inner))))
      value = inner;
    else
      return value;
  }
}

bool isArithmetic(const llvm::Value *value) {
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(value))
    return llvm::is_contained({llvm::Intrinsic::fma, llvm::Intrinsic::fmuladd, llvm::Intrinsic::copysign},
                              call->getIntrinsicID());
  auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(value);
  return operation && operation->getType()->isFPOrFPVectorTy();
}

bool isCopySign(const llvm::Value *value) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(value);
  return call && call->getIntrinsicID() == llvm::Intrinsic::copysign;
}

} // namespace

void hideNarrowSources(llvm::Module &module) {
  for (llvm::Instruction *remainder :
       collect(module, [](llvm::Instruction &each) { return each.getOpcode() == llvm::Instruction::FRem; }))
    putBarrierAfter(*remainder);
  if (!mentionsHalf(module))
    return;
  for (llvm::Instruction *widening : collect(module, [](llvm::Instruction &each) {
         return llvm::isa<llvm::FPExtInst>(each) && each.getOperand(0)->getType()->getScalarType()->isBFloatTy();
       })) {
    llvm::IRBuilder<> b(widening);
    llvm::Type *type = widening->getType();
    llvm::Value *bits = b.CreateBitCast(widening->getOperand(0), withElement(type, b.getInt16Ty()));
    bits = b.CreateShl(b.CreateZExt(bits, withElement(type, b.getInt32Ty())), 16);
    llvm::Value *single = b.CreateBitCast(bits, withElement(type, b.getFloatTy()));
    widening->replaceAllUsesWith(single->getType() == type ? single : b.CreateFPExt(single, type));
    widening->eraseFromParent();
  }
}

void showNarrowSources(llvm::Module &module) {
  llvm::Value *narrow = nullptr;
  for (llvm::Instruction *single : collect(module, [&](llvm::Instruction &each) {
         return match(&each, m_BitCast(m_Shl(m_ZExt(m_BitCast(m_Value(narrow))), m_SpecificInt(16)))) &&
                narrow->getType()->getScalarType()->isBFloatTy() &&
                each.getType() == withElement(narrow->getType(), llvm::Type::getFloatTy(each.getContext()));
       })) {
    match(single, m_BitCast(m_Shl(m_ZExt(m_BitCast(m_Value(narrow))), m_SpecificInt(16))));
    llvm::IRBuilder<> b(single);
    single->replaceAllUsesWith(b.CreateFPExt(narrow, single->getType()));
    single->eraseFromParent();
  }
}

/// A product of single bf16 is a mix instruction, too. (Pairs have an instruction of their own.)
static void widenProducts(llvm::Module &module) {
  for (llvm::Instruction *product : collect(module, [](llvm::Instruction &each) {
         auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(each.getType());
         return each.getOpcode() == llvm::Instruction::FMul && each.getType()->getScalarType()->isBFloatTy() &&
                (!vector || vector->getNumElements() % 2);
       })) {
    llvm::IRBuilder<> b(product);
    llvm::Type *wide = withElement(product->getType(), b.getFloatTy());
    llvm::Value *exact =
        b.CreateFMul(b.CreateFPExt(product->getOperand(0), wide), b.CreateFPExt(product->getOperand(1), wide));
    product->replaceAllUsesWith(b.CreateFPTrunc(exact, product->getType()));
    product->eraseFromParent();
  }
}

void keepRoundings(llvm::Module &module, const target::Target &target) {
  const bool roundsOnce = target.has("v_fma_mixlo_bf16");
  if (roundsOnce)
    widenProducts(module);
  for (llvm::Instruction *rounding : collect(module, [](llvm::Instruction &each) {
         return llvm::isa<llvm::FPTruncInst>(each) && isArithmetic(source(each.getOperand(0)));
       })) {
    auto *arithmetic = llvm::cast<llvm::Instruction>(source(rounding->getOperand(0)));
    const bool isProduct = arithmetic->getOpcode() == llvm::Instruction::FMul;
    const bool toBf16 = rounding->getType()->getScalarType()->isBFloatTy();
    if (!isCopySign(arithmetic)) {
      // What may be contracted may be rounded once. An f16 is a wrong operand of the bf16 form in any case.
      const bool mayContract = llvm::cast<llvm::FPMathOperator>(arithmetic)->hasAllowContract();
      if (!has16Bits(rounding->getType()) || (mayContract && !(roundsOnce && toBf16)) ||
          (!roundsOnce && (!isProduct || toBf16)))
        continue;
    }
    llvm::IRBuilder<> b(rounding);
    if (isProduct && !roundsOnce && arithmetic == rounding->getOperand(0) && arithmetic->hasOneUse() &&
        arithmetic->getType()->getScalarType()->isFloatTy()) {
      b.SetInsertPoint(arithmetic);
      llvm::Value *zero = llvm::ConstantFP::getNegativeZero(arithmetic->getType());
      llvm::Value *sum = b.CreateIntrinsic(llvm::Intrinsic::fma, {arithmetic->getType()},
                                           {arithmetic->getOperand(0), arithmetic->getOperand(1), zero}, arithmetic);
      rounding->setOperand(0, sum);
      arithmetic->eraseFromParent();
      continue;
    }
    rounding->setOperand(0, b.CreateUnaryIntrinsic(llvm::Intrinsic::canonicalize, rounding->getOperand(0)));
  }
}

} // namespace fly::codegen
