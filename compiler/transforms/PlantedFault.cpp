// Mistakes on purpose, see PlantedFault.h.
#include "compiler/transforms/PlantedFault.h"

#include "compiler/dialect/FlyOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace fly::ir {

bool mayHaveFault(StringRef pass) {
  return llvm::StringSwitch<bool>(pass)
      .Cases({"fly-finish-kernel", "fly-expand-products", "fly-expand-copies", "fly-interleave-streams",
              "fly-lower-layouts", "convert-scf-to-cf", "fly-promote-slots", "canonicalize", "cse", "fly-expand-bf16",
              "convert-fly-to-rocdl"},
             true)
      .Default(false);
}

bool plantFault(Operation *root) {
  OpOperand *stored = nullptr;
  root->walk([&](Operation *op) {
    if (isa<StoreOp, StoreVectorOp, MaskedStoreOp, PtrStoreOp, BufferStoreOp, LLVM::StoreOp>(op) &&
        getElementTypeOrSelf(op->getOperand(0).getType()).isIntOrFloat())
      stored = &op->getOpOperand(0);
  });
  if (!stored)
    return false;
  OpBuilder b(stored->getOwner());
  const Location loc = stored->getOwner()->getLoc();
  const Value value = stored->get();
  const bool isLlvm = isa<LLVM::StoreOp>(stored->getOwner());
  if (isa<FloatType>(getElementTypeOrSelf(value.getType()))) {
    stored->set(isLlvm ? LLVM::FNegOp::create(b, loc, value).getResult()
                       : arith::NegFOp::create(b, loc, value).getResult());
    return true;
  }
  Attribute number = b.getIntegerAttr(getElementTypeOrSelf(value.getType()), 1);
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    number = DenseElementsAttr::get(vector, number);
  if (isLlvm) {
    Value one = LLVM::ConstantOp::create(b, loc, value.getType(), number);
    stored->set(LLVM::XOrOp::create(b, loc, value, one));
  } else {
    Value one = arith::ConstantOp::create(b, loc, cast<TypedAttr>(number));
    stored->set(arith::XOrIOp::create(b, loc, value, one));
  }
  return true;
}

namespace {

struct PlantedFault final : PassInstrumentation {
  explicit PlantedFault(std::string pass) : pass(std::move(pass)) {}
  void runAfterPass(Pass *ran, Operation *op) override {
    if (!isDone && ran->getArgument() == pass)
      isDone = plantFault(op);
  }
  std::string pass;
  bool isDone = false;
};

} // namespace

std::unique_ptr<PassInstrumentation> plantFaultAfter(std::string pass) {
  return std::make_unique<PlantedFault>(std::move(pass));
}

} // namespace fly::ir
