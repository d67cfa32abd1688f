// fly-interleave-streams: two streams of instructions become one. What and why: Passes.td.
//
//   1. the operations of a stream are cut into pieces of one instruction each, or of one statement if there are none
//   2. pieces are moved in front of the end, in the merged order
//
// The innermost pair is merged first: then it is a part of a stream of the pair around it.
#include "compiler/dialect/FlyOps.h"
#include "compiler/transforms/Passes.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;

namespace fly::ir {

#define GEN_PASS_DEF_FLYINTERLEAVESTREAMS
#include "compiler/transforms/Passes.h.inc"

namespace {

using StreamPiece = SmallVector<Operation *>;

/// Whether `every` and `take` count it: a matrix instruction, or an access to memory or LDS.
bool isInstruction(Operation &op) {
  if (isa<MatrixMultiplyOp>(op))
    return true;
  if (isa<SlotOp, SlotLoadOp, SlotStoreOp, SharedOp, BarrierOp, ClusterBarrierOp, FenceOp, WaitOp, SchedBarrierOp,
          SchedGroupBarrierOp, FixedOrderOp, StreamOp, ShadowOp, IglpOp, SetPriorityOp, TogetherOp, TakePartOp,
          PartitionOp>(op))
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return effects && !effects.hasNoEffect();
}

/// Whether `op` needs a result of one of these operations.
bool uses(Operation *op, const llvm::SmallPtrSetImpl<Operation *> &those) {
  return llvm::any_of(op->getOperands(), [&](Value operand) { return those.contains(operand.getDefiningOp()); });
}

bool isStatement(Operation &op) {
  auto mark = dyn_cast<StreamOp>(op);
  return mark && mark.getPlace() == StreamPlace::Statement;
}

/// Whether it only holds a number or a place for one.
bool isPassive(Operation *op) { return op->hasTrait<OpTrait::ConstantLike>() || isa<SlotOp, FragmentOp>(op); }

/// The operations between two marks, of which none is an instruction: a piece is a statement of the program. Nothing but
/// arithmetic is in it, of which LLVM's scheduler keeps no order, so a barrier ends it.
std::vector<StreamPiece> statementsBetween(StreamOp begin, StreamOp end) {
  std::vector<StreamPiece> pieces(1);
  auto close = [&] {
    if (llvm::all_of(pieces.back(), isPassive))
      return;
    OpBuilder builder(end);
    pieces.back().push_back(SchedBarrierOp::create(builder, pieces.back().back()->getLoc(), 0));
    pieces.emplace_back();
  };
  SmallVector<Operation *> operations;
  for (Operation *op = begin->getNextNode(); op != end; op = op->getNextNode())
    operations.push_back(op);
  for (Operation *op : operations) {
    pieces.back().push_back(op);
    if (isStatement(*op))
      close();
  }
  close();
  if (pieces.back().empty())
    pieces.pop_back();
  return pieces;
}

/// The operations between two marks. A piece ends with the last operation that uses its instruction's results, before
/// the next instruction.
std::vector<StreamPiece> piecesBetween(StreamOp begin, StreamOp end) {
  bool hasInstruction = false;
  for (Operation *op = begin->getNextNode(); op != end; op = op->getNextNode())
    hasInstruction |= isInstruction(*op);
  if (!hasInstruction)
    return statementsBetween(begin, end);
  std::vector<StreamPiece> pieces;
  StreamPiece between;                       // `between`: after the instruction of the last piece
  llvm::SmallPtrSet<Operation *, 8> results; // the last piece's instruction, and what uses it
  for (Operation *op = begin->getNextNode(); op != end; op = op->getNextNode()) {
    if (isInstruction(*op)) {
      between.push_back(op);
      pieces.push_back(std::move(between));
      between.clear(), results.clear();
      results.insert(op);
      continue;
    }
    between.push_back(op);
    if (pieces.empty() || !uses(op, results))
      continue;
    results.insert(op);
    llvm::append_range(pieces.back(), between);
    between.clear();
  }
  if (!between.empty() && !pieces.empty())
    llvm::append_range(pieces.back(), between);
  else if (!between.empty())
    pieces.push_back(std::move(between));
  return pieces;
}

void merge(StreamOp first, StreamOp second, StreamOp end) {
  const std::vector<StreamPiece> one = piecesBetween(first, second), other = piecesBetween(second, end);
  const size_t every = first.getEvery(), take = first.getTake();
  auto place = [&](const std::vector<StreamPiece> &pieces, size_t &next, size_t count) {
    for (; count > 0 && next < pieces.size(); --count, ++next)
      for (Operation *op : pieces[next])
        op->moveBefore(end);
  };
  for (size_t i = 0, j = 0; i < one.size() || j < other.size();) {
    place(one, i, every);
    place(other, j, i < one.size() ? take : other.size());
  }
}

struct InterleaveStreams : impl::FlyInterleaveStreamsBase<InterleaveStreams> {
  void runOnOperation() override {
    getOperation()->walk([](Block *block) {
      SmallVector<StreamOp> open, statements;
      for (Operation &op : llvm::make_early_inc_range(*block)) {
        auto mark = dyn_cast<StreamOp>(op);
        if (!mark)
          continue;
        if (isStatement(op)) {
          statements.push_back(mark);
          continue;
        }
        open.push_back(mark);
        const size_t n = open.size();
        if (mark.getPlace() != StreamPlace::End || n < 3 || open[n - 2].getPlace() != StreamPlace::Second ||
            open[n - 3].getPlace() != StreamPlace::First)
          continue;
        merge(open[n - 3], open[n - 2], mark);
        for (unsigned i = 0; i < 3; ++i)
          open.pop_back_val().erase();
      }
      for (StreamOp mark : open) // of streams with branches
        mark.erase();
      for (StreamOp mark : statements)
        mark.erase();
    });
  }
};

} // namespace
} // namespace fly::ir
