// What analyses ask of operations, whatever they are.
#ifndef FLY_INTERFACES_TD
#define FLY_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Fly_UniformOperands : OpInterface<"UniformOperands"> {
  let description = [{
    An operation of a wave that takes one value of an operand for all of its lanes: the lane that `readlane` reads, the start
    of a buffer. The front end emits it whatever the operand is; a check of the whole kernel refuses operands that differ.
  }];
  let cppNamespace = "::fly::ir";
  let methods = [InterfaceMethod<"The operands, and what messages call them.",
                                 "::llvm::SmallVector<::fly::ir::UniformOperand, 2>", "getUniformOperands">];
}

#endif
