// Where buffers begin in far ones: tensors that may have more than the 2 GiB that offsets reach (BufferReach.cpp).
//
//   tile = local_tile(buffer(x), (64, 64), (block_id.y, k))     the first cut that leaves known extents: here
//   copy(atom, thr.partition_S(tile), r)                        where lanes begin to differ it is too late
//
// An access comes from a far buffer by a chain of views. A buffer has one start for all lanes, so that it begins at a view before
// those that lanes cut for themselves. Which values differ between lanes is known when the kernel is whole; until then accesses
// are of the far buffer (Notes::farAccesses), and here get their buffers:
//
//   - at the first view of the chain that is known to lie within reach, or whose extents are all known;
//   - else at the last cut that is the same for all lanes, be it before `buffer`.
//
// What such a view spans, its extents times its strides, the kernel checks where it is not known, and stops beyond 2 GiB. That
// the tensor is larger does not matter: behind the tile, but within 2 GiB, is what is left of it.
#include "compiler/analysis/BufferPlaces.h"

#include "compiler/dialect/Views.h"
#include "compiler/layout/Algebra.h"
#include "compiler/analysis/Divergence.h"
#include "llvm/ADT/MapVector.h"
#include "mlir/IR/IRMapping.h"

namespace fly::analysis {

namespace {

ir::TensorType typeOf(mlir::Value view) { return llvm::cast<ir::TensorType>(view.getType()); }

/// Whether an operation only makes another view, which is accessed in its turn.
bool isView(mlir::Operation *op) {
  auto view = llvm::dyn_cast<ir::ViewOpInterface>(op);
  return view && view.isReachedAsSource();
}

enum class Reach { Within, Unknown, Beyond };

Reach reachOf(const ir::TensorType &type) {
  layout::InferringArithmetic arithmetic;
  auto span = layout::cosize(type.getLayout(), arithmetic);
  if (!span || !span->isStatic())
    return Reach::Unknown;
  return isWithinReach(type) ? Reach::Within : Reach::Beyond;
}

/// Whether what a buffer was made of had been cut out of a tensor.
bool isOfPart(ir::BufferOp buffer) {
  return llvm::any_of(ir::stepsTo(buffer.getTensor()), [](mlir::Operation *op) { return llvm::isa<ir::SliceOp>(op); });
}

class Places {
public:
  Places(Context &context, llvm::DenseMap<mlir::Value, SourceRange> cuts)
      : context(context), cuts(std::move(cuts)), differs(divergentInWave(context.kernel, context.target.waveSize)) {}

  void place(mlir::Value view, SourceRange range) {
    if (!ir::BufferOp::farOrigin(view)) // behind offsets by hand, whose view has its buffer by now
      return;
    llvm::SmallVector<mlir::Value> chain;
    for (mlir::Operation *step : ir::stepsTo(view)) {
      chain.push_back(step->getResult(0));
      if (llvm::isa<ir::BufferOp>(step))
        break;
    }
    std::reverse(chain.begin(), chain.end());
    mlir::Value start = startIn(chain);
    if (!start)
      return fail(chain, range);
    mlir::Value near = rebased(start, range);
    for (mlir::Value step : llvm::ArrayRef(chain).drop_front(size_t(llvm::find(chain, start) - chain.begin()) + 1))
      near = after(step, near);
    llvm::SmallVector<mlir::OpOperand *> accesses;
    for (mlir::OpOperand &use : view.getUses())
      if (!isView(use.getOwner()) && !llvm::isa<ir::RebaseOp, ir::LeafOp>(use.getOwner()))
        accesses.push_back(&use);
    for (mlir::OpOperand *use : accesses)
      use->set(near);
  }

private:
  /// Where the buffer begins; null if nowhere.
  mlir::Value startIn(llvm::ArrayRef<mlir::Value> chain) {
    mlir::Value last;
    for (mlir::Value view : chain) {
      if (differs.contains(view))
        break;
      auto type = typeOf(view);
      Reach reach = reachOf(type);
      if (reach == Reach::Within || (reach == Reach::Unknown && type.getDomain().shape().isStatic()))
        return view;
      auto buffer = view.getDefiningOp<ir::BufferOp>();
      if (view.getDefiningOp<ir::SliceOp>() || (buffer && isOfPart(buffer)))
        last = reach == Reach::Unknown ? view : mlir::Value();
    }
    return last;
  }

  mlir::Value rebased(mlir::Value start, SourceRange range) {
    mlir::Value &made = buffers[start];
    if (!made) {
      mlir::OpBuilder b(context.kernel.getContext());
      b.setInsertionPointAfterValue(start);
      made = ir::RebaseOp::create(b, context.location(range), start, reachOf(typeOf(start)) != Reach::Within);
    }
    return made;
  }

  /// The same step from another view.
  mlir::Value after(mlir::Value step, mlir::Value from) {
    mlir::Value &made = steps[{step, from}];
    if (!made) {
      mlir::OpBuilder b(context.kernel.getContext());
      b.setInsertionPointAfterValue(step);
      mlir::IRMapping mapping;
      mlir::Operation *op = step.getDefiningOp();
      mapping.map(ir::viewedBy(op), from);
      made = b.clone(*op, mapping)->getResult(0);
    }
    return made;
  }

  /// Says it once: where lanes take their part of what has not been cut before; of the access if they do not.
  void fail(llvm::ArrayRef<mlir::Value> chain, SourceRange range) {
    auto parting = llvm::find_if(chain, [&](mlir::Value view) { return differs.contains(view); });
    auto cut = parting == chain.end() ? cuts.end() : cuts.find(*parting);
    if (!blamed.insert(cut == cuts.end() ? chain.front() : *parting).second)
      return;
    if (cut == cuts.end()) {
      auto type = llvm::cast<ir::TensorType>(chain.back().getType());
      return helpBeyondReach(context.report(diag::buffer_reach, range, {"`" + layout::textOf(type.getLayout()) + "`"}));
    }
    context.report(diag::divergent_lane, cut->second, {"start", "buffer"})
        .help("cut this buffer by coordinates that are the same for all lanes until at most 2 GiB remain, then take the thread's part");
  }

  Context &context;
  llvm::DenseMap<mlir::Value, SourceRange> cuts; ///< where a part was cut
  llvm::DenseSet<mlir::Value> differs, blamed;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, mlir::Value> steps;
};

} // namespace

void placeBuffers(Context &context) {
  if (context.notes.farAccesses.empty())
    return;
  llvm::DenseMap<mlir::Value, SourceRange> cuts;
  for (auto &[op, range] : context.notes.farCuts)
    cuts.try_emplace(op->getResult(0), range);
  llvm::MapVector<mlir::Value, SourceRange> accesses;
  for (auto &[op, range] : context.notes.farAccesses)
    accesses.try_emplace(op->getResult(0), range);
  Places places(context, std::move(cuts));
  for (auto &[view, range] : accesses)
    places.place(view, range);
}

bool isWithinReach(ir::TensorType type) {
  layout::InferringArithmetic arithmetic;
  auto span = layout::cosize(type.getLayout(), arithmetic);
  if (!span)
    return false;
  return span->isStatic() ? span->value <= ir::BufferOp::reach * 8 / type.getElementBits() : span->width() == 32;
}

void helpBeyondReach(DiagnosticBuilder builder) {
  builder.help("first select a part by coordinates that are the same for all lanes, such as `local_tile(buffer(t), (128, 64), (block_id.x, k))`, then the thread's part of that")
      .help("if the size of the part is only known at run time, use `buffer(part)`: the kernel then checks it and stops if it is too large");
}

} // namespace fly::analysis
