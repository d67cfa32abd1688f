// See FloatAtomics.h. The zero is an offset of a global pointer, which then stays in scalar registers, and part of the
// address elsewhere.
#include "compiler/codegen/faults/FloatAtomics.h"

#include "compiler/codegen/faults/Hidden.h"
#include "compiler/protocol/FloatAtomic.h"

#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MemoryModelRelaxationAnnotations.h"
#include "llvm/IR/Module.h"

namespace fly::codegen {

namespace {

constexpr unsigned globalSpace = 1;

bool mustStaySingle(const llvm::AtomicRMWInst &atomic) {
  if (atomic.getOperation() != llvm::AtomicRMWInst::FAdd && atomic.getOperation() != llvm::AtomicRMWInst::FSub)
    return false;
  return !llvm::MMRAMetadata(atomic).hasTag(protocol::floatAtomicTag, protocol::reassociates);
}

struct FloatAtomicsPass : PassBase<FloatAtomicsPass, Keeps::Nothing, llvm::FunctionPass> {
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.addRequired<llvm::UniformityInfoWrapperPass>();
    usage.setPreservesCFG();
  }
  bool runOnFunction(llvm::Function &function) override {
    const llvm::UniformityInfo &uniformity = getAnalysis<llvm::UniformityInfoWrapperPass>().getUniformityInfo();
    llvm::SmallVector<llvm::AtomicRMWInst *> single;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
          atomic && mustStaySingle(*atomic) && uniformity.isUniform(atomic->getPointerOperand()))
        single.push_back(atomic);
    const llvm::DataLayout &layout = function.getDataLayout();
    for (llvm::AtomicRMWInst *atomic : single) {
      llvm::IRBuilder<> b(atomic);
      llvm::Value *pointer = atomic->getPointerOperand();
      llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
      llvm::Value *base = pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
      if (base->getType() != pointer->getType()) {
        base = pointer;
        offset = 0;
      }
      if (atomic->getPointerAddressSpace() == globalSpace)
        base = b.CreatePtrAdd(base, b.CreateZExt(hidden(b, b.getInt32(0)), b.getInt64Ty()));
      else
        base = hidden(b, base);
      atomic->setOperand(llvm::AtomicRMWInst::getPointerOperandIndex(),
                         offset.isZero() ? base : b.CreatePtrAdd(base, b.getInt(offset)));
    }
    return !single.empty();
  }
};

} // namespace

BackendPass floatAtomicsPass() { return backendPass<FloatAtomicsPass>(); }

} // namespace fly::codegen
