// What the values of a kernel are for one of its threads, and where its accesses lead, as far as that can be computed:
// as the compiler folds constants, instruction by instruction.
#pragma once

#include "compiler/dialect/FlyOps.h"
#include "compiler/layout/ComposedLayout.h"

#include <optional>

namespace fly::analysis {

/// The layout with every number known: strides far apart, extents large, offsets 0.
layout::AnyLayout withKnownNumbers(const layout::AnyLayout &layout);

/// Where a lane begins, in elements: before a swizzle of the tensor's layout, and in memory.
struct LanePlace {
  int64_t plain = 0, real = 0;
};

/// A tensor for one thread: a layout of numbers, and where it begins, in elements.
struct Place {
  layout::AnyLayout layout;
  int64_t offset;
};

/// A thread's access: where it begins, and how many elements it takes at once.
struct LaneRun {
  LanePlace at;
  int64_t count;
};

class LaneValues {
public:
  /// What a value that is not known stands for: a number, or nothing.
  using Unknown = llvm::function_ref<std::optional<int64_t>(mlir::Value)>;
  /// Loops are in their first turn; that of `turned`, the block that decides whether it goes on, in its second.
  LaneValues(ir::KernelOp kernel, int64_t lane, Unknown unknown, mlir::Block *turned = nullptr)
      : kernel(kernel), lane(lane), unknown(unknown), turned(turned) {}

  /// None where it is not known.
  std::optional<int64_t> of(mlir::Value value);
  /// Whether a thread comes to a block, as far as the conditions on the one way there are known.
  bool reaches(mlir::Block *block);

  /// Where a tensor begins for this thread.
  std::optional<Place> placeOf(mlir::Value tensor);
  /// For threads after the first wave: how many lanes one has, which `lane_id` counts anew.
  std::optional<int64_t> waveSize;

  /// An access of the thread: `t[i]`, `t[i] = v`, `.load()`, `.store(v)`.
  std::optional<LaneRun> runOf(mlir::Operation *op);

private:
  mlir::Attribute attributeOf(mlir::Value value);
  mlir::Attribute compute(mlir::Value value);
  mlir::Attribute atEntry(mlir::BlockArgument argument);
  mlir::Attribute atTurn(mlir::BlockArgument argument);
  mlir::Attribute threadId(ir::ThreadIdOp id);
  bool takes(mlir::Block *from, mlir::Block *to);
  layout::IntTuple coordinate(layout::IntTuple tuple, mlir::OperandRange dynamic, bool &isKnown);

  ir::KernelOp kernel;
  int64_t lane;
  Unknown unknown;
  mlir::Block *turned;
  llvm::DenseMap<mlir::Value, mlir::Attribute> values;
};

/// Where a coordinate of a tensor leads.
std::optional<LanePlace> placeAt(const Place &place, const layout::IntTuple &coordinate);
/// An access of a single element or of a view: `t[i]`, `t[i] = v`, `.load()`, `.store(v)`.
bool isSingleAccess(mlir::Operation *op);
llvm::SmallVector<mlir::Operation *> singleAccesses(ir::KernelOp kernel);
/// The tensor that a single access reads or writes.
mlir::Value accessedBy(mlir::Operation *op);
inline bool isWrite(mlir::Operation *op) { return llvm::isa<ir::StoreOp, ir::StoreVectorOp>(op); }

} // namespace fly::analysis
