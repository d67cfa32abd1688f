// LayoutLowering: the parts of `fly-lower-layouts`. LowerLayouts.cpp resolves tensors and walks over the kernel,
// LowerAccesses.cpp emits memory accesses, LowerTensorMoves.cpp the descriptors of the tensor mover.
#pragma once

#include "compiler/dialect/AccessWidth.h"
#include "compiler/transforms/BufferOffsets.h"
#include "compiler/transforms/Uniformity.h"

namespace fly::ir {

struct ResolvedTensor {
  mlir::Value base;
  layout::Leaf offset = layout::Leaf::known(0); // elements; 0 of a composed layout, which has its own
  layout::AnyLayout layout;
  bool bytesFitIn32Bits = false;
  std::int64_t widest = widestBits / 8; // bytes of an access; of a buffer fewer where wider ones may straddle its end
  bool checksScalar = false;            // of a buffer: see BufferOp
  mlir::Value farBytes = {}; // of a far buffer, not yet rebased: `base` is its address, and this many bytes follow it
  BufferOffsets extra = {};  // in a buffer, beside the offset; null: 0
  bool isOneAccess = false;  // of a buffer: explicit, also of 96 bits

  bool isBuffer() const { return farBytes || llvm::cast<PtrType>(base.getType()).getSpace() == AddressSpace::Buffer; }
};

/// How an element or several are accessed.
struct Access {
  bool isVolatile = false, isNontemporal = false;
  std::uint32_t cache = 0;               // of buffers
  std::optional<MemoryScope> scope = {}; // of other memory
  mlir::Value predicate = {};            // of buffers
};

class LayoutLowering {
public:
  explicit LayoutLowering(KernelOp kernel)
      : kernel(kernel), builder(kernel.getContext()), arithmetic(builder), uniformity(kernel) {}

  mlir::LogicalResult run();

private:
  mlir::LogicalResult lower(mlir::Operation *op);
  void waitBeforeBarriers();
  mlir::LogicalResult lowerLoad(LoadOp op);
  mlir::LogicalResult lowerStore(StoreOp op);
  mlir::LogicalResult lowerAddress(AddressOp op);
  mlir::FailureOr<mlir::Value> loadPieces(mlir::Operation *op, mlir::Value tensor, const Access &access);
  mlir::LogicalResult storePieces(mlir::Operation *op, mlir::Value value, mlir::Value tensor, const Access &access);
  mlir::LogicalResult lowerAtomic(MaskedAtomicOp op);
  mlir::LogicalResult lowerDirectCopy(DirectCopyOp op);
  mlir::LogicalResult lowerTransposingLoad(TransposingLoadOp op);
  mlir::LogicalResult lowerTensorMove(TensorMoveOp op);
  mlir::LogicalResult lowerLeaf(LeafOp op);
  mlir::LogicalResult lowerCrd2Idx(Crd2IdxOp op);

  void *handleOf(mlir::Value value, const layout::Leaf &leaf) {
    return arithmetic.handleOf(value, uniformity.isUniform(value), leaf.divisibility);
  }
  mlir::FailureOr<layout::AnyLayout> resolveLayout(mlir::Value value, mlir::Operation *user);
  mlir::FailureOr<layout::AnyLayout> rearranged(RearrangeOp op, const layout::AnyLayout &layout);
  mlir::FailureOr<ResolvedTensor> resolveTensor(mlir::Value value, mlir::Operation *user);
  layout::Result<ResolvedTensor> resolve(MakeTensorOp op);
  layout::Result<ResolvedTensor> resolve(SliceOp op);
  layout::Result<ResolvedTensor> resolve(RearrangeOp op);
  layout::Result<ResolvedTensor> resolve(RecastOp op);
  layout::Result<ResolvedTensor> resolve(BufferOp op);
  layout::Result<ResolvedTensor> resolve(RebaseOp op);
  layout::Result<ResolvedTensor> resolve(AtOffsetsOp op);

  layout::IntTuple coordinateOf(IntTupleAttr coordinate, mlir::OperandRange dynamic, const layout::AnyLayout &layout);
  layout::Result<layout::Leaf> throughInner(const layout::AnyFunction &inner, const layout::Leaf &offset);
  layout::Result<layout::Leaf> offsetOf(const ResolvedTensor &tensor, const layout::IntTuple &coordinate);
  layout::Result<layout::Leaf> offsetOf(const ResolvedTensor &tensor, const layout::Runs &runs, const layout::Run &run);
  layout::Result<mlir::Value> addressOf(const ResolvedTensor &tensor, const layout::Leaf &elements,
                                        mlir::Type elementType);
  layout::Result<layout::Leaf> inUnits(const layout::Leaf &offset, mlir::Type elementType);
  mlir::Value inBytes(mlir::Value units, std::int64_t size, bool mayBeNegative);
  mlir::Value bytesSpanned(const layout::AnyLayout &layout, mlir::Type elementType);
  void trapIf(mlir::Value condition, mlir::Operation *before);
  mlir::Value addBytes(mlir::Value pointer, std::int64_t bytes);
  mlir::FailureOr<mlir::Value> pointerTo(mlir::Operation *op, const ResolvedTensor &tensor,
                                         layout::Result<layout::Leaf> offset, mlir::Type elementType);
  template <typename Op> mlir::FailureOr<mlir::Value> elementPointer(Op op);
  template <typename Op> mlir::FailureOr<std::pair<ResolvedTensor, layout::Leaf>> element(Op op);
  layout::Result<BufferOffsets> bufferOffsetsOf(const ResolvedTensor &tensor, const layout::Leaf &offset,
                                                mlir::Type elementType, mlir::Value predicate);
  layout::Result<mlir::Value> loadAt(const ResolvedTensor &tensor, layout::Result<layout::Leaf> offset,
                                     mlir::Type elementType, mlir::Type type, const Access &access);
  layout::Result<bool> storeAt(const ResolvedTensor &tensor, layout::Result<layout::Leaf> offset,
                               mlir::Type elementType, mlir::Value value, const Access &access);
  mlir::FailureOr<ResolvedTensor> pieceOf(mlir::Operation *op, mlir::Value tensor);

  layout::Result<layout::Runs> runsOf(TensorType type, const ResolvedTensor &tensor, mlir::Operation *op);

  /// The next instructions go before `op` and get its location.
  void place(mlir::Operation *op) {
    builder.setInsertionPoint(op);
    arithmetic.setLocation(op->getLoc());
    location = op->getLoc();
  }
  mlir::Location here() { return *location; }
  mlir::LogicalResult fail(mlir::Operation *op, const std::string &text) { return op->emitOpError() << text; }

  KernelOp kernel;
  mlir::OpBuilder builder;
  EmittingArithmetic arithmetic;
  Uniformity uniformity;
  std::optional<mlir::Location> location;
  mlir::DenseMap<mlir::Value, ResolvedTensor> resolved;
  mlir::SmallVector<mlir::Operation *> viewOps; // tensor and layout ops, definitions before uses
};

} // namespace fly::ir
