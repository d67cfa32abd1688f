// Operations of the fly dialect, with the functions that compute their result types.
//
// The elaborator calls the functions below before it builds an op, so that a mistake is reported in the user's terms:
// an op whose types cannot be computed must not be built.
#pragma once

#include "compiler/dialect/FlyTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fly::ir {
/// An operand that must be the same in all lanes of a wave; `what` it is in messages: "lane". With the name of an
/// argument, it is quoted: "`soffset`".
struct UniformOperand {
  unsigned index;
  llvm::StringRef what;
};
/// Whether an operation stands for no instruction: `fly.together`, `fly.take_part`, `fly.partition`.
bool isMark(mlir::Operation *op);
/// On a comparison: it checks that a number is not negative, where a product that wraps is not considered.
inline constexpr llvm::StringLiteral signCheckAttr = "fly.sign_check";
/// On the back edge of a loop: `name=` of its `range`.
inline constexpr llvm::StringLiteral loopNameAttr = "fly.name";
/// On an arith.truncf: its result is its operand.
inline constexpr llvm::StringLiteral exactAttr = "fly.exact";
/// The immediates of `fly.wave` in its text.
mlir::ParseResult parseImmediates(mlir::OpAsmParser &parser, mlir::DenseI32ArrayAttr &immediates);
void printImmediates(mlir::OpAsmPrinter &printer, class WaveOp, mlir::DenseI32ArrayAttr immediates);
} // namespace fly::ir

#include "compiler/dialect/FlyInterfaces.h.inc"
#include "compiler/dialect/FlyViewInterface.h.inc"

#define GET_OP_CLASSES
#include "compiler/dialect/FlyOps.h.inc"

namespace fly::ir {

/// The most elements that a fragment may have: more than the registers of a thread can hold.
inline constexpr int64_t maximumFragment = 4096;
/// The most threads of a workgroup that any target has.
inline constexpr int64_t maximumWorkgroup = 1024;
/// The most workgroups of a cluster that any target has.
inline constexpr int64_t maximumCluster = 16;

/// The type of `fly.make_tensor`: alignment from the pointer.
layout::Result<TensorType> tensorTypeOf(PtrType pointer, const layout::AnyLayout &layout, mlir::Type elementType);

/// The type of `fly.slice tensor[coordinate]`; the coordinate's dynamic leaves give width and divisibility.
layout::Result<TensorType> sliceType(TensorType tensor, const layout::IntTuple &coordinate);

/// Whether `coordinate` fixes every mode of the tensor (what `fly.load` and `fly.store` need), else why not. The value
/// is the alignment in bytes of that element.
layout::Result<unsigned> elementAlignment(TensorType tensor, const layout::IntTuple &coordinate);

/// The type of `fly.rearrange step of` a tensor or layout.
layout::Result<mlir::Type> rearrangedType(mlir::Type source, const layout::Rearrangement &step);

/// The type of `fly.recast tensor -> elementType`.
layout::Result<TensorType> recastType(TensorType tensor, mlir::Type elementType);

/// The width in bits that a layout's offsets need: 32 or 64.
unsigned offsetWidth(const layout::AnyLayout &layout);

/// The type of `fly.load_vector tensor`: as many elements as its static domain has. Only where a composed layout starts
/// may be unknown.
layout::Result<mlir::VectorType> fragmentType(TensorType tensor);

} // namespace fly::ir
