// The way from elaborated kernels to LLVM's dialect, as one list, and the registration of everything on it.
#include "compiler/transforms/Passes.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace fly::ir {

// Patterns of MLIR's that drop a rounding: f32(f64(i)) of an i64 rounds twice, a direct conversion once.
static const std::string roundOnceInstead[] = {"(anonymous namespace)::TruncFSIToFPToSIToFP",
                                               "(anonymous namespace)::TruncFUIToFPToUIToFP"};

void buildFlyToLLVMPipeline(OpPassManager &manager, const FlyToLLVMOptions &options) {
  OpPassManager &kernels = manager.nest<KernelOp>();

  // Copies become accesses while their views are still tensors, products the instructions of their atoms. Copies are
  // last: they erase the fragments that nothing uses any more.
  kernels.addPass(createFlyExpandProducts());
  kernels.addPass(createFlyExpandCopies());
  kernels.addPass(createFlyInterleaveStreams());

  // Addresses: afterwards no op knows layouts, and only pointers, numbers and slots cross control flow.
  kernels.addPass(createFlyLowerLayouts());

  // Slots become values, across branches: control flow is flattened before.
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createFlyPromoteSlots());

  // Duplicate and dead operations from the elaborator and the two steps above.
  kernels.addPass(createCanonicalizerPass({}, roundOnceInstead));
  kernels.addPass(createCSEPass());

  kernels.addPass(createFlyExpandBf16({options.arch}));

  // The ABI and the instructions; after this only the LLVM and ROCDL dialects remain.
  manager.addPass(createConvertFlyToRocdl({options.arch}));

  // Locations become line tables.
  manager.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
}

void registerFlyPasses() {
  registerFlyOwnPasses();
  registerPass([] { return createSCFToControlFlowPass(); });
  registerCanonicalizerPass();
  registerCSEPass();
  LLVM::registerDIScopeForLLVMFuncOpPass();
  PassPipelineRegistration<FlyToLLVMOptions>("fly-to-llvm", "kernels of the fly dialect to the LLVM dialect",
                                             buildFlyToLLVMPipeline);
}

void registerFlyDialects(DialectRegistry &registry) {
  registry.insert<FlyDialect, arith::ArithDialect, cf::ControlFlowDialect, LLVM::LLVMDialect, math::MathDialect,
                  ROCDL::ROCDLDialect, scf::SCFDialect, vector::VectorDialect>();
}

} // namespace fly::ir
