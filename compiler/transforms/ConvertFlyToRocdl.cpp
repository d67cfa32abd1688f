// convert-fly-to-rocdl: the pass itself. It gathers the patterns of the fly dialect and upstream's for arith, math,
// vector and cf, and converts the whole module or reports the op that has no lowering.
#include "compiler/transforms/FlyToRocdl.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"

using namespace mlir;

namespace fly::ir {

#define GEN_PASS_DEF_CONVERTFLYTOROCDL
#include "compiler/transforms/Passes.h.inc"

namespace {

/// LLVM 22's data layout for `amdgcn-amd-amdhsa`; code generation checks that LLVM agrees.
constexpr StringLiteral targetTriple = "amdgcn-amd-amdhsa";
constexpr StringLiteral dataLayout =
    "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128"
    ":48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:10"
    "24-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9";

struct ConvertFlyToRocdlPass : impl::ConvertFlyToRocdlBase<ConvertFlyToRocdlPass> {
  using ConvertFlyToRocdlBase::ConvertFlyToRocdlBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    module->setAttr(LLVM::LLVMDialect::getTargetTripleAttrName(), StringAttr::get(context, targetTriple));
    module->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(), StringAttr::get(context, dataLayout));

    keepBufferAccessesApart(getOperation(), arch);
    waitForStoresBeforeBarriers(getOperation(), arch);
    LLVMTypeConverter converter(context);
    converter.addConversion(
        [](PtrType type) { return LLVM::LLVMPointerType::get(type.getContext(), llvmAddressSpace(type.getSpace())); });
    converter.addConversion([](SlotType type) {
      return LLVM::LLVMPointerType::get(type.getContext(), llvmAddressSpace(AddressSpace::Private));
    });

    RewritePatternSet patterns(context);
    populateKernelPatterns(converter, patterns, arch);
    populateFlyOpPatterns(converter, patterns);
    populateWavePatterns(converter, patterns);
    populateExactPatterns(converter, patterns);
    populateMemoryPatterns(converter, patterns);
    populateCopyPatterns(converter, patterns, arch);
    populateMatrixPatterns(converter, patterns, arch);
    populateControlPatterns(converter, patterns, arch);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);

    LLVMConversionTarget target(*context);
    target.addLegalDialect<ROCDL::ROCDLDialect>();
    target.addLegalOp<ModuleOp>();
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace fly::ir
