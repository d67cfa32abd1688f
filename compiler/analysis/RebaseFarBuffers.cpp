// fly-rebase-far-buffers: where buffers begin in far ones, of tensors that may have more than the 2 GiB that offsets
// reach (compiler/sema/tensor/BufferReach.cpp).
//
//   tile = local_tile(buffer(x), (64, 64), (block_id.y, k))     the first cut that leaves known extents: here
//   copy(atom, thr.partition_S(tile), r)                        where lanes begin to differ it is too late
//
// An access comes from a far buffer by a chain of views. A buffer has one start for all lanes, so that it begins at a
// view before those that lanes cut for themselves. Which values differ between lanes is known when the kernel is whole;
// until then accesses are of the far buffer, and here get their buffers:
//
//   - at the first view of the chain that is known to lie within reach, or whose extents are all known;
//   - else at the last cut that is the same for all lanes, be it before `buffer`.
//
// What such a view spans, its extents times its strides, the kernel checks where it is not known, and stops beyond 2
// GiB. That the tensor is larger does not matter: after the tile, but within 2 GiB, is the rest of it.
//
// An access without such a view stays as it is. checkFarAccesses reports it.
#include "compiler/analysis/FarBuffers.h"
#include "compiler/analysis/Passes.h"

#include "compiler/dialect/Views.h"
#include "compiler/layout/Algebra.h"
#include "compiler/analysis/Divergence.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/IR/IRMapping.h"

namespace fly::analysis {

#define GEN_PASS_DEF_FLYREBASEFARBUFFERS
#include "compiler/analysis/Passes.h.inc"

namespace {

ir::TensorType viewType(mlir::Value view) { return llvm::cast<ir::TensorType>(view.getType()); }

enum class Distance { Within, Unknown, Beyond };

Distance reachOf(const ir::TensorType &type) {
  layout::InferringArithmetic arithmetic;
  auto span = layout::cosize(type.getLayout(), arithmetic);
  if (!span || !span->isStatic())
    return Distance::Unknown;
  return isWithinReach(type) ? Distance::Within : Distance::Beyond;
}

/// Whether what a buffer was made of had been cut out of a tensor.
bool isOfPart(ir::BufferOp buffer) {
  return llvm::any_of(ir::stepsTo(buffer.getTensor()), [](mlir::Operation *op) { return llvm::isa<ir::SliceOp>(op); });
}

class Places {
public:
  Places(ir::KernelOp kernel, int64_t waveSize) : kernel(kernel) {
    Ranges ranges(kernel);
    differs = divergentInWave(kernel, ranges, waveSize);
  }

  /// Gives the accesses to a view their buffer.
  void place(mlir::Value view, mlir::Location location, llvm::ArrayRef<mlir::OpOperand *> accesses) {
    if (!ir::BufferOp::farOrigin(view)) // after offsets by hand, whose view has its buffer by now
      return;
    const auto way = wayTo(view);
    mlir::Value start = startIn(way);
    if (!start)
      return;
    mlir::Value near = rebased(start, location);
    for (mlir::Value step : llvm::ArrayRef(way).drop_front(size_t(llvm::find(way, start) - way.begin()) + 1))
      near = after(step, near);
    for (mlir::OpOperand *access : accesses)
      access->set(near);
  }

private:
  /// Where the buffer begins; null if nowhere.
  mlir::Value startIn(llvm::ArrayRef<mlir::Value> way) {
    mlir::Value last;
    for (mlir::Value view : way) {
      if (differs.contains(view))
        break;
      auto type = viewType(view);
      Distance reach = reachOf(type);
      if (reach == Distance::Within || (reach == Distance::Unknown && type.getDomain().shape().isStatic()))
        return view;
      auto buffer = view.getDefiningOp<ir::BufferOp>();
      if (view.getDefiningOp<ir::SliceOp>() || (buffer && isOfPart(buffer)))
        last = reach == Distance::Unknown ? view : mlir::Value();
    }
    return last;
  }

  mlir::Value rebased(mlir::Value start, mlir::Location location) {
    mlir::Value &made = buffers[start];
    if (!made) {
      mlir::OpBuilder b(kernel.getContext());
      b.setInsertionPointAfterValue(start);
      made = ir::RebaseOp::create(b, location, start, reachOf(viewType(start)) != Distance::Within);
    }
    return made;
  }

  /// The same step from another view. Marks of it follow.
  mlir::Value after(mlir::Value step, mlir::Value from) {
    mlir::Value &made = steps[{step, from}];
    if (!made) {
      mlir::OpBuilder b(kernel.getContext());
      b.setInsertionPointAfterValue(step);
      mlir::IRMapping mapping;
      mlir::Operation *op = step.getDefiningOp();
      mapping.map(ir::viewedBy(op), from);
      made = b.clone(*op, mapping)->getResult(0);
      step.replaceUsesWithIf(made, [](mlir::OpOperand &use) { return ir::isMark(use.getOwner()); });
    }
    return made;
  }

  ir::KernelOp kernel;
  llvm::DenseSet<mlir::Value> differs;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, mlir::Value> steps;
};

struct RebaseFarBuffers : impl::FlyRebaseFarBuffersBase<RebaseFarBuffers> {
  using FlyRebaseFarBuffersBase::FlyRebaseFarBuffersBase;

  void runOnOperation() override {
    const auto accesses = farAccesses(getOperation());
    if (accesses.empty())
      return;
    Places places(getOperation(), waveSize);
    llvm::MapVector<mlir::Value, llvm::SmallVector<FarAccess>> ofViews;
    for (const FarAccess &access : accesses)
      ofViews[access.operand->get()].push_back(access);
    for (auto &[view, all] : ofViews)
      places.place(view, all.front().location,
                   llvm::map_to_vector(all, [](const FarAccess &access) { return access.operand; }));
  }
};

} // namespace

} // namespace fly::analysis
