// See Divisions.h. For x below 2^24 and y from 2 on, with a reciprocal that is off by at most one ulp, trunc(x * rcp(y))
// is the quotient or one beside it, and e = x - q * y is exact: the product has at most 24 bits more than it needs, and
// the fused operation rounds once, to a number of at most 24 bits. rcp(1) is 1 on all machines.
#include "compiler/codegen/faults/Divisions.h"

#include "compiler/codegen/faults/Hidden.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/KnownBits.h"

namespace fly::codegen {

namespace {

constexpr unsigned mostBits = 24; ///< that LLVM divides in f32, a sign among them

bool isSigned(const llvm::BinaryOperator &operation) {
  return operation.getOpcode() == llvm::Instruction::SDiv || operation.getOpcode() == llvm::Instruction::SRem;
}

bool isDivision(const llvm::Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case llvm::Instruction::UDiv:
  case llvm::Instruction::URem:
  case llvm::Instruction::SDiv:
  case llvm::Instruction::SRem: break;
  default: return false;
  }
  const unsigned bits = instruction.getType()->getScalarSizeInBits();
  return (bits == 32 || bits == 64) && !llvm::isa<llvm::Constant>(instruction.getOperand(1));
}

/// How many bits both operands fit in, a sign among them.
unsigned bitsOf(const llvm::BinaryOperator &operation, const llvm::DataLayout &layout, llvm::AssumptionCache *facts) {
  const unsigned width = operation.getType()->getScalarSizeInBits();
  unsigned bits = 0;
  for (const llvm::Value *operand : operation.operands())
    bits =
        std::max(bits, isSigned(operation)
                           ? width + 1 - llvm::ComputeNumSignBits(operand, layout, facts, &operation)
                           : width - llvm::computeKnownBits(operand, layout, facts, &operation).countMinLeadingZeros());
  return bits;
}

/// Of scalars that fit in `mostBits`.
llvm::Value *expand(llvm::IRBuilder<> &b, llvm::BinaryOperator &operation, llvm::Value *x, llvm::Value *y) {
  llvm::Type *type = x->getType(), *single = b.getFloatTy();
  const bool negates = isSigned(operation);
  const bool wantsQuotient =
      operation.getOpcode() == llvm::Instruction::UDiv || operation.getOpcode() == llvm::Instruction::SDiv;
  x = b.CreateTrunc(x, b.getInt32Ty());
  y = b.CreateTrunc(y, b.getInt32Ty());
  llvm::Value *signX = nullptr, *signY = nullptr;
  if (negates) {
    auto magnitude = [&](llvm::Value *v) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v, b.getFalse()); };
    signX = b.CreateAShr(x, 31);
    signY = b.CreateAShr(y, 31);
    x = magnitude(x);
    y = magnitude(y);
  }
  llvm::Value *fx = b.CreateUIToFP(x, single), *fy = b.CreateUIToFP(y, single);
  llvm::Value *near = b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc,
                                             b.CreateFMul(fx, b.CreateUnaryIntrinsic(llvm::Intrinsic::amdgcn_rcp, fy)));
  llvm::Value *rest = b.CreateIntrinsic(llvm::Intrinsic::fma, {single}, {b.CreateFNeg(near), fy, fx});
  llvm::Value *below = b.CreateFCmpOGE(rest, fy), *above = b.CreateFCmpOLT(rest, llvm::ConstantFP::get(single, 0.0));
  llvm::Value *result;
  if (wantsQuotient) {
    result = b.CreateFPToUI(near, b.getInt32Ty());
    result = b.CreateAdd(result, b.CreateZExt(below, b.getInt32Ty()));
    result = b.CreateSub(result, b.CreateZExt(above, b.getInt32Ty()));
  } else {
    llvm::Value *more = b.CreateSelect(above, b.CreateFAdd(rest, fy), rest);
    result = b.CreateFPToUI(b.CreateSelect(below, b.CreateFSub(rest, fy), more), b.getInt32Ty());
  }
  if (!negates)
    return b.CreateZExt(result, type);
  llvm::Value *sign = wantsQuotient ? b.CreateXor(signX, signY) : signX;
  return b.CreateSExt(b.CreateSub(b.CreateXor(result, sign), sign), type);
}

void hideOperands(llvm::BinaryOperator &operation) {
  llvm::IRBuilder<> b(&operation);
  for (llvm::Use &operand : operation.operands()) {
    auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(operand->getType());
    llvm::Value *value = vector ? llvm::PoisonValue::get(vector) : hidden(b, operand);
    for (unsigned i = 0; vector && i < vector->getNumElements(); ++i)
      value = b.CreateInsertElement(value, hidden(b, b.CreateExtractElement(operand, i)), i);
    operand.set(value);
  }
}

struct DivisionsPass : llvm::FunctionPass {
  static char ID;
  DivisionsPass() : FunctionPass(ID) {}
  DivisionsPass(char &id, bool hidesOthers) : FunctionPass(id), hidesOthers(hidesOthers) {}
  llvm::StringRef getPassName() const override { return "divisions of 24 bits"; }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.addRequired<llvm::AssumptionCacheTracker>();
    usage.setPreservesCFG();
  }
  bool runOnFunction(llvm::Function &function) override {
    llvm::AssumptionCache &facts = getAnalysis<llvm::AssumptionCacheTracker>().getAssumptionCache(function);
    llvm::SmallVector<llvm::BinaryOperator *> wrong, others;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (isDivision(instruction)) {
        auto &operation = llvm::cast<llvm::BinaryOperator>(instruction);
        const unsigned bits = bitsOf(operation, function.getDataLayout(), &facts);
        const unsigned rightBits = isSigned(operation) ? 23 : 22;
        (bits > rightBits && bits <= mostBits ? wrong : others).push_back(&operation);
      }
    if (hidesOthers)
      for (llvm::BinaryOperator *operation : others)
        hideOperands(*operation);
    for (llvm::BinaryOperator *operation : wrong) {
      llvm::IRBuilder<> b(operation);
      llvm::Value *x = operation->getOperand(0), *y = operation->getOperand(1), *result = nullptr;
      if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(operation->getType())) {
        result = llvm::PoisonValue::get(vector);
        for (unsigned i = 0; i < vector->getNumElements(); ++i)
          result = b.CreateInsertElement(
              result, expand(b, *operation, b.CreateExtractElement(x, i), b.CreateExtractElement(y, i)), i);
      } else {
        result = expand(b, *operation, x, y);
      }
      operation->replaceAllUsesWith(result);
      operation->eraseFromParent();
    }
    return !wrong.empty() || hidesOthers;
  }
  bool hidesOthers = false;
};
char DivisionsPass::ID;

/// Selection divides by itself, and takes a u32 for a number of 24 bits if it is one when sign-extended (llvm-project
/// issue 196418).

struct UnoptimizedDivisionsPass final : DivisionsPass {
  static char ID;
  UnoptimizedDivisionsPass() : DivisionsPass(ID, /*hidesOthers=*/true) {}
};
char UnoptimizedDivisionsPass::ID;

} // namespace

BackendPass divisionsPass() { return backendPass<DivisionsPass>(); }
BackendPass unoptimizedDivisionsPass() { return backendPass<UnoptimizedDivisionsPass>(); }

} // namespace fly::codegen
