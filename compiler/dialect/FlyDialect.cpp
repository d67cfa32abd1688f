// The dialect itself: what it registers, its constants, and the attributes that kernel arguments may carry.
#include "compiler/dialect/FlyOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace fly::ir;

#include "compiler/dialect/FlyDialect.cpp.inc"
#include "compiler/dialect/FlyEnums.cpp.inc"

void FlyDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/FlyOps.cpp.inc"
      >();
}

Operation *FlyDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location location) {
  return arith::ConstantOp::materialize(builder, value, type, location);
}

LogicalResult FlyDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                   NamedAttribute attribute) {
  auto kernel = dyn_cast<KernelOp>(op);
  if (!kernel)
    return op->emitOpError() << "cannot carry `" << attribute.getName().getValue() << "`; it belongs on `fly.kernel`";
  if (attribute.getName() == KernelOp::argumentNameAttr) {
    if (!isa<StringAttr>(attribute.getValue()))
      return op->emitOpError() << "`fly.name` of argument " << argument << " must be a string";
    return success();
  }
  if (attribute.getName() == KernelOp::readonlyAttr) {
    if (!isa<UnitAttr>(attribute.getValue()) || !isa<PtrType>(kernel.getArgumentTypes()[argument]))
      return op->emitOpError() << "`fly.readonly` is a flag of pointers, but argument " << argument << " is not one";
    return success();
  }
  if (attribute.getName() == KernelOp::byValueAttr) {
    if (!isa<IntegerAttr>(attribute.getValue()) || !isa<PtrType>(kernel.getArgumentTypes()[argument]))
      return op->emitOpError() << "`fly.by_value` is the number of bytes at a pointer; argument " << argument
                               << " has none";
    return success();
  }
  if (attribute.getName() == KernelOp::multipleOfAttr) {
    auto number = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!number || number.getInt() < 1 || !kernel.getArgumentTypes()[argument].isInteger())
      return op->emitOpError() << "`fly.multiple_of` is a positive number of integers; argument " << argument
                               << " has another";
    return success();
  }
  return op->emitOpError() << "argument " << argument << " carries the unknown `" << attribute.getName().getValue()
                           << "`";
}
