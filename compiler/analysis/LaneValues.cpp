// See LaneValues.h.
//
// Who asks says what unknown values stand for; a value that the thread comes to know later (in a loop, of itself) is
// unknown. `thread_id` follows from the lane of the kernel's first wave.
#include "compiler/analysis/LaneValues.h"

#include "compiler/dialect/AccessWidth.h"
#include "compiler/dialect/Views.h"
#include "compiler/layout/Algebra.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace fly::analysis {

using layout::AnyLayout;
using layout::InferringArithmetic;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;
using mlir::Attribute;
using mlir::IntegerAttr;

// ---------------------------------------------------------------------------------------------------------
// Values

static Attribute number(mlir::Value value, int64_t n) {
  unsigned bits = value.getType().isIndex() ? 64 : value.getType().getIntOrFloatBitWidth();
  return IntegerAttr::get(value.getType(), llvm::APInt(bits, uint64_t(n), true, true));
}

std::optional<int64_t> LaneValues::of(mlir::Value value) {
  auto number = llvm::dyn_cast_or_null<IntegerAttr>(attributeOf(value));
  return number ? std::optional(number.getType().isInteger(1) ? int64_t(number.getValue().getBoolValue())
                                                              : number.getInt())
                : std::nullopt;
}

bool LaneValues::reaches(mlir::Block *block) {
  while (mlir::Block *before = block->getSinglePredecessor()) {
    if (!takes(before, block))
      return false;
    block = before;
  }
  return true;
}

/// Whether a later block jumps back to this one: what decides there whether a loop goes on also lets threads out of it,
/// in another turn than the first.
static bool isLoopHeader(mlir::Block *block) {
  for (mlir::Block *before = block; before; before = before->getNextNode())
    if (llvm::is_contained(block->getPredecessors(), before))
      return true;
  return false;
}

bool LaneValues::takes(mlir::Block *from, mlir::Block *to) {
  auto branch = llvm::dyn_cast<mlir::cf::CondBranchOp>(from->getTerminator());
  if (!branch || branch.getTrueDest() == branch.getFalseDest() || isLoopHeader(from))
    return true;
  auto condition = of(branch.getCondition());
  return !condition || (*condition != 0) == (branch.getTrueDest() == to);
}

Attribute LaneValues::attributeOf(mlir::Value value) {
  if (!value.getType().isIntOrIndex())
    return {};
  if (auto known = values.find(value); known != values.end())
    return known->second;
  values[value] = {}; // of itself, in a loop
  Attribute result = compute(value);
  if (!result)
    if (auto assumed = unknown(value))
      result = number(value, *assumed);
  return values[value] = result;
}

Attribute LaneValues::compute(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = llvm::cast<mlir::BlockArgument>(value);
    return argument.getOwner() == turned ? atTurn(argument) : atEntry(argument);
  }
  if (auto id = llvm::dyn_cast<ir::ThreadIdOp>(op))
    return threadId(id);
  if (llvm::isa<ir::LaneIdOp>(op))
    return number(value, waveSize ? lane % *waveSize : lane);
  if (op->getNumRegions() || op->getNumResults() != 1 || !mlir::isPure(op))
    return {};
  llvm::SmallVector<Attribute> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(attributeOf(operand));
  if (llvm::is_contained(operands, Attribute()))
    return {};
  llvm::SmallVector<mlir::OpFoldResult> folded;
  if (mlir::failed(op->fold(operands, folded)) || folded.empty())
    return {};
  if (auto attribute = llvm::dyn_cast<Attribute>(folded[0]))
    return attribute;
  return attributeOf(llvm::cast<mlir::Value>(folded[0]));
}

/// What a block gives its successor for an argument.
static mlir::Value givenBy(mlir::Block *before, mlir::BlockArgument argument) {
  auto branch = llvm::dyn_cast<mlir::BranchOpInterface>(before->getTerminator());
  for (unsigned s = 0; branch && s < branch->getNumSuccessors(); ++s)
    if (branch->getSuccessor(s) == argument.getOwner())
      return branch.getSuccessorOperands(s)[argument.getArgNumber()];
  return {};
}

/// What a block's argument is when the thread first comes there: loops come after the block that enters them.
Attribute LaneValues::atEntry(mlir::BlockArgument argument) {
  mlir::Block *block = argument.getOwner();
  for (mlir::Block &before : *block->getParent()) {
    if (&before == block)
      break;
    if (!llvm::is_contained(block->getPredecessors(), &before) || !reaches(&before) || !takes(&before, block))
      continue;
    mlir::Value operand = givenBy(&before, argument);
    return operand ? attributeOf(operand) : Attribute();
  }
  return {};
}

/// The same when it comes there the second time: the one way back gives it.
Attribute LaneValues::atTurn(mlir::BlockArgument argument) {
  LaneValues first(kernel, lane, unknown);
  Attribute result;
  for (mlir::Block *before = argument.getOwner(); before; before = before->getNextNode())
    if (llvm::is_contained(argument.getOwner()->getPredecessors(), before)) {
      mlir::Value operand = givenBy(before, argument);
      Attribute given = operand ? first.attributeOf(operand) : Attribute();
      if (!given || (result && result != given))
        return {};
      result = given;
    }
  return result;
}

Attribute LaneValues::threadId(ir::ThreadIdOp id) {
  auto block = kernel.getKnownBlock();
  const int64_t x = block ? (*block)[0] : 1 << 10, y = block ? (*block)[1] : 1;
  const int64_t at[] = {lane % x, lane / x % y, lane / x / y};
  return number(id.getResult(), at[unsigned(id.getDimension())]);
}

// ---------------------------------------------------------------------------------------------------------
// Places

AnyLayout withKnownNumbers(const AnyLayout &layout) {
  constexpr int64_t large = 1 << 16, farApart = int64_t(1) << 32;
  if (auto *composed = std::get_if<layout::ComposedLayout>(&layout)) {
    IntTuple offset =
        composed->offset().mapLeaves([](const Leaf &leaf) { return leaf.isDynamic() ? Leaf::known(0) : leaf; });
    return layout::ComposedLayout(composed->inner(), std::move(offset), withKnownNumbers(composed->outer()));
  }
  const auto &plain = std::get<Layout>(layout);
  int64_t next = 1;
  IntTuple shape =
      plain.shape().mapLeaves([](const Leaf &leaf) { return leaf.isDynamic() ? Leaf::known(large) : leaf; });
  return Layout(std::move(shape), plain.stride().mapLeaves([&](const Leaf &leaf) {
    return leaf.isDynamic() ? Leaf::known(farApart * next++) : leaf;
  }));
}

IntTuple LaneValues::coordinate(IntTuple tuple, mlir::OperandRange dynamic, bool &isKnown) {
  auto operand = dynamic.begin();
  return tuple.mapLeaves([&](Leaf leaf) {
    if (!leaf.isDynamic() || operand == dynamic.end())
      return leaf;
    auto number = of(*operand++);
    isKnown &= number.has_value();
    return Leaf::known(number.value_or(0));
  });
}

std::optional<Place> LaneValues::placeOf(mlir::Value tensor) {
  InferringArithmetic arithmetic;
  mlir::Operation *op = tensor.getDefiningOp();
  if (llvm::isa_and_nonnull<ir::MakeTensorOp>(op))
    return Place{withKnownNumbers(llvm::cast<ir::TensorType>(tensor.getType()).getLayout()), 0};
  mlir::Value shown = ir::viewedBy(op);
  if (!shown)
    return std::nullopt;
  auto source = placeOf(shown);
  if (!source || llvm::isa<ir::BufferOp, ir::RebaseOp>(op))
    return source;
  if (auto slice = llvm::dyn_cast<ir::SliceOp>(op)) {
    bool isKnown = true;
    IntTuple at = coordinate(slice.getCoordinate().getTuple(), slice.getDynamic(), isKnown);
    auto part = layout::sliceAndOffset(at, source->layout, arithmetic);
    if (!isKnown || !part || !part->offset.isLeaf() || !part->offset.leaf().isStatic())
      return std::nullopt;
    return Place{part->layout, source->offset + part->offset.leaf().value};
  }
  if (auto step = llvm::dyn_cast<ir::RearrangeOp>(op)) {
    auto changed = step.getDynamic().empty() ? step.getStep().getStep().apply(source->layout, arithmetic)
                                             : layout::Result<AnyLayout>(layout::Error{""});
    return changed ? std::optional(Place{*changed, source->offset}) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<LanePlace> placeAt(const Place &place, const IntTuple &coordinate) {
  InferringArithmetic arithmetic;
  auto numberAt = [&](const AnyLayout &layout) -> std::optional<int64_t> {
    auto index = layout::evaluate(coordinate, layout, arithmetic);
    return index && index->isLeaf() && index->leaf().isStatic() ? std::optional(index->leaf().value) : std::nullopt;
  };
  const auto real = numberAt(place.layout);
  if (!real)
    return std::nullopt;
  auto *composed = std::get_if<layout::ComposedLayout>(&place.layout);
  if (!composed || !std::holds_alternative<layout::Swizzle>(composed->inner()) || !composed->offset().isLeaf())
    return LanePlace{place.offset + *real, place.offset + *real};
  const auto outer = numberAt(composed->outer());
  if (!outer)
    return std::nullopt;
  return LanePlace{place.offset + composed->offset().leaf().value + *outer, place.offset + *real};
}

bool isSingleAccess(mlir::Operation *op) {
  return llvm::isa<ir::LoadOp, ir::LoadVectorOp, ir::StoreOp, ir::StoreVectorOp>(op);
}

llvm::SmallVector<mlir::Operation *> singleAccesses(ir::KernelOp kernel) {
  llvm::SmallVector<mlir::Operation *> all;
  kernel.walk([&](mlir::Operation *op) {
    if (isSingleAccess(op))
      all.push_back(op);
  });
  return all;
}

mlir::Value accessedBy(mlir::Operation *op) { return op->getOperand(isWrite(op) ? 1 : 0); }

std::optional<LaneRun> LaneValues::runOf(mlir::Operation *op) {
  auto element = [&](auto access) -> std::optional<LaneRun> {
    auto place = placeOf(access.getTensor());
    bool isKnown = true;
    IntTuple where = coordinate(access.getCoordinate().getTuple(), access.getDynamic(), isKnown);
    auto at = place && isKnown ? placeAt(*place, where) : std::nullopt;
    return at ? std::optional(LaneRun{*at, 1}) : std::nullopt;
  };
  if (auto load = llvm::dyn_cast<ir::LoadOp>(op))
    return element(load);
  if (auto store = llvm::dyn_cast<ir::StoreOp>(op))
    return element(store);
  mlir::Value tensor = accessedBy(op);
  auto type = llvm::cast<ir::TensorType>(tensor.getType());
  auto place = placeOf(tensor);
  auto runs = ir::accessesOf(type, ir::widestInside(tensor));
  auto at = place ? placeAt(*place, IntTuple(0)) : std::nullopt;
  if (!runs || !at)
    return std::nullopt;
  return LaneRun{*at, runs->runs.front().count};
}

} // namespace fly::analysis
