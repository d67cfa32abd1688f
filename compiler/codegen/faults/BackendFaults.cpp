// Four faults of the backend; see the header for the rule.
//
// 64-bit carries. SITargetLowering::performAddCarrySubCarryCombine turns uaddo_carry(x + y, 0, c) into
//   uaddo_carry(x, y, c) even where the carry out is used, so a sum in which one side has a zero upper half loses its
//   overflow (llvm-project pull request 204362). Saturating and overflow-reporting 64-bit intrinsics, and the
//   comparison `a + b < a`, become comparisons that need no carry: a + b overflows where a > ~b.
//
// Zero minus x. SelectVOP3ModsImpl treats `0.0 - x` as the source modifier `-x`, which has the other sign for x = 0.
//   An empty assembly statement hides the zero, unless the operation may ignore the sign of zero. A sum with zero has
//   the same problem, because the DAG turns `-x + 0.0` into `0.0 - x`.
//
// Sub-dword operands. The SDWA peephole (gfx9) treats an arithmetic shift of 16 bits by 8 as a sign-extended byte,
//   although its users may rely on the upper half being zero. Modules that compute with 16-bit integers are compiled
//   without the pass; those that only convert and compute floats keep it.
//
// Scaled matrix products. All lanes of a wave take part in V_MFMA_SCALE_*, and the intrinsic says so, but not the
//   machine instruction. So the products of a kernel's end are moved after the branches of its epilogue, next to the
//   stores of their sums, and keep their operands in registers until then. Modules with such products are compiled
//   without the pass that moves them.
#include "compiler/codegen/faults/BackendFaults.h"

#include "compiler/codegen/faults/Hidden.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

namespace fly::codegen {

namespace {

using namespace llvm::PatternMatch;

bool is64Bit(const llvm::Value *value) { return value->getType()->isIntOrIntVectorTy(64); }

/// The sum or difference of 64 bits with its carry, saturated or as a pair; null for any other call.
llvm::Value *withoutCarry(llvm::IRBuilder<> &b, llvm::IntrinsicInst &call) {
  auto id = call.getIntrinsicID();
  if (id != llvm::Intrinsic::uadd_sat && id != llvm::Intrinsic::usub_sat && id != llvm::Intrinsic::uadd_with_overflow &&
      id != llvm::Intrinsic::usub_with_overflow)
    return nullptr;
  llvm::Value *x = call.getArgOperand(0), *y = call.getArgOperand(1);
  if (!is64Bit(x))
    return nullptr;
  switch (id) {
  case llvm::Intrinsic::uadd_sat:
    return b.CreateAdd(b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x, b.CreateNot(y)), y);
  case llvm::Intrinsic::usub_sat: return b.CreateSub(b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, x, y), y);
  default: break;
  }
  bool add = id == llvm::Intrinsic::uadd_with_overflow;
  llvm::Value *overflow = add ? b.CreateICmpUGT(x, b.CreateNot(y)) : b.CreateICmpULT(x, y);
  llvm::Value *pair = llvm::PoisonValue::get(call.getType());
  pair = b.CreateInsertValue(pair, add ? b.CreateAdd(x, y) : b.CreateSub(x, y), 0);
  return b.CreateInsertValue(pair, overflow, 1);
}

/// `a + b < a` and its mirror image; null for any other comparison.
llvm::Value *withoutCarry(llvm::IRBuilder<> &b, llvm::ICmpInst &compare) {
  llvm::Value *sum = compare.getOperand(0), *side = compare.getOperand(1), *other = nullptr;
  auto predicate = compare.getPredicate();
  if (predicate == llvm::CmpInst::ICMP_UGT || predicate == llvm::CmpInst::ICMP_ULE) {
    std::swap(sum, side);
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  }
  if ((predicate != llvm::CmpInst::ICMP_ULT && predicate != llvm::CmpInst::ICMP_UGE) || !is64Bit(sum) ||
      !match(sum, m_c_Add(m_Specific(side), m_Value(other))))
    return nullptr;
  auto without = predicate == llvm::CmpInst::ICMP_ULT ? llvm::CmpInst::ICMP_UGT : llvm::CmpInst::ICMP_ULE;
  return b.CreateICmp(without, side, b.CreateNot(other));
}

/// A zero that the code generator does not recognise.
llvm::Value *hiddenZero(llvm::IRBuilder<> &b, llvm::Constant *zero) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(zero->getType());
  // An element of the constant may be poison.
  return vector ? b.CreateVectorSplat(vector->getNumElements(),
                                      hidden(b, llvm::ConstantFP::getZero(vector->getElementType())))
                : hidden(b, zero);
}

void hideZero(llvm::IRBuilder<> &b, llvm::BinaryOperator &operation) {
  if (operation.hasNoSignedZeros())
    return;
  bool add = operation.getOpcode() == llvm::Instruction::FAdd;
  if (!add && operation.getOpcode() != llvm::Instruction::FSub)
    return;
  for (unsigned side = 0; side < (add ? 2u : 1u); ++side)
    if (auto *zero = llvm::dyn_cast<llvm::Constant>(operation.getOperand(side)); zero && match(zero, m_PosZeroFP()))
      operation.setOperand(side, hiddenZero(b, zero));
}

/// An operation on 16-bit integers, as opposed to moving them about.
bool computesWithShorts(const llvm::Instruction &instruction) {
  auto isShort = [](const llvm::Type *type) { return type->isIntOrIntVectorTy(16); };
  if (llvm::isa<llvm::BinaryOperator, llvm::CmpInst>(instruction))
    return isShort(instruction.getOperand(0)->getType());
  if (llvm::isa<llvm::SExtInst>(instruction))
    return isShort(instruction.getType());
  return llvm::isa<llvm::IntrinsicInst>(instruction) && isShort(instruction.getType());
}

bool computesWithShorts(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (computesWithShorts(instruction))
        return true;
  return false;
}

bool hasScaledProducts(const llvm::Module &module) {
  return llvm::any_of(
      module, [](const llvm::Function &function) { return function.getName().starts_with("llvm.amdgcn.mfma.scale."); });
}

} // namespace

void rewriteMistaken(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      llvm::IRBuilder<> b(&instruction);
      llvm::Value *replacement = nullptr;
      if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
        replacement = withoutCarry(b, *call);
      else if (auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
        replacement = withoutCarry(b, *compare);
      else if (auto *operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
        hideZero(b, *operation);
      if (replacement) {
        instruction.replaceAllUsesWith(replacement);
        instruction.eraseFromParent();
      }
    }
}

PassGate::PassGate(const llvm::Module &module, bool pairs)
    : subDwordAddressing(!computesWithShorts(module)), pairs(pairs), sinks(!hasScaledProducts(module)) {}

bool PassGate::shouldRunPass(llvm::StringRef pass, llvm::StringRef) const {
  if (pass == "si-peephole-sdwa")
    return subDwordAddressing;
  if (pass == "machine-sink")
    return sinks;
  return pairs || pass != "gcn-create-vopd";
}

} // namespace fly::codegen
