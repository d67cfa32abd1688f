// The table of `fly.approximate`, its verifier and the type of its result.
//
// Source of names: llvm/include/llvm/IR/IntrinsicsAMDGPU.td of LLVM 22. Formats are those that its AMDGPU backend has
// an instruction for.
#include "compiler/dialect/Approximations.h"

using namespace mlir;
namespace fly::ir {

static constexpr ApproximationInfo table[] = {
    {Approximation::Exp2, "llvm.amdgcn.exp2", true, false, true},
    {Approximation::Log2, "llvm.amdgcn.log", true, false, true},
    {Approximation::Rcp, "llvm.amdgcn.rcp", true, true, true},
    {Approximation::Rsq, "llvm.amdgcn.rsq", true, true, true},
    {Approximation::Sqrt, "llvm.amdgcn.sqrt", true, true, true},
    {Approximation::SinOfTurns, "llvm.amdgcn.sin", true, false},
    {Approximation::CosOfTurns, "llvm.amdgcn.cos", true, false},
    {Approximation::Fract, "llvm.amdgcn.fract", true, true},
    {Approximation::FrexpMantissa, "llvm.amdgcn.frexp.mant", true, true},
    {Approximation::FrexpExponent, "llvm.amdgcn.frexp.exp.i32", false, true, false, true},
};

const ApproximationInfo &info(Approximation function) {
  const ApproximationInfo &row = table[static_cast<unsigned>(function)];
  assert(row.function == function && "the table is in the order of the enumeration");
  return row;
}

LogicalResult ApproximateOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                              SmallVectorImpl<Type> &results) {
  Type type = adaptor.getValue().getType();
  if (info(adaptor.getFunction()).givesInteger) {
    Type word = IntegerType::get(context, 32);
    auto vector = dyn_cast<VectorType>(type);
    type = vector ? Type(vector.clone(word)) : word;
  }
  results.push_back(type);
  return success();
}

LogicalResult ApproximateOp::verify() {
  const ApproximationInfo &row = info(getFunction());
  Type element = getElementTypeOrSelf(getValue().getType());
  if ((element.isF16() && !row.ofHalf) || (element.isF64() && !row.ofDouble))
    return emitOpError() << "the hardware has no `" << stringifyApproximation(getFunction()) << "` of " << element;
  return success();
}

} // namespace fly::ir
