// See AccessPatterns.h.
//
// Each lane of the kernel's first wave has its `thread_id`; what is computed from it is folded, instruction by instruction, as
// the compiler folds constants. What is not known but the same for all lanes stands for a large number, so that rows lie far apart;
// indices of workgroups are 0, a loop is in its first turn. An access whose place is computed from what differs between lanes and is
// not known (loaded indices, random numbers) is passed over. Lanes that a condition is known to keep out do not count.
#include "compiler/sema/AccessPatterns.h"

#include "compiler/layout/Algebra.h"
#include "compiler/layout/Runs.h"
#include "compiler/sema/Divergence.h"
#include "compiler/sema/Performance.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace fly::sema {

using layout::AnyLayout;
using layout::InferringArithmetic;
using layout::IntTuple;
using layout::Leaf;
using mlir::Attribute;
using mlir::IntegerAttr;

namespace {

constexpr int64_t unknownButUniform = 1 << 16;

/// What the values of a kernel are for one of its threads.
class LaneValues {
public:
  LaneValues(ir::KernelOp kernel, int64_t lane, llvm::function_ref<bool(mlir::Value)> differs) : kernel(kernel), lane(lane), differs(differs) {}

  /// None where it is not known.
  std::optional<int64_t> of(mlir::Value value) {
    auto number = llvm::dyn_cast_or_null<IntegerAttr>(attributeOf(value));
    return number ? std::optional(number.getType().isInteger(1) ? int64_t(number.getValue().getBoolValue()) : number.getInt()) : std::nullopt;
  }

  /// Whether a thread comes to a block, as far as the conditions on the one way there are known.
  bool reaches(mlir::Block *block) {
    while (mlir::Block *before = block->getSinglePredecessor()) {
      if (!takes(before, block))
        return false;
      block = before;
    }
    return true;
  }

private:
  /// What decides whether a loop goes on also lets threads out of it, in another turn than the first.
  static bool isLoopHeader(mlir::Block *block) {
    for (mlir::Block *before = block; before; before = before->getNextNode())
      if (llvm::is_contained(block->getPredecessors(), before))
        return true;
    return false;
  }

  bool takes(mlir::Block *from, mlir::Block *to) {
    auto branch = llvm::dyn_cast<mlir::cf::CondBranchOp>(from->getTerminator());
    if (!branch || branch.getTrueDest() == branch.getFalseDest() || isLoopHeader(from))
      return true;
    auto condition = of(branch.getCondition());
    return !condition || (*condition != 0) == (branch.getTrueDest() == to);
  }

  Attribute attributeOf(mlir::Value value) {
    if (!value.getType().isIntOrIndex())
      return {};
    if (auto known = values.find(value); known != values.end())
      return known->second;
    values[value] = {}; // of itself, in a loop
    Attribute result = compute(value);
    if (!result && !differs(value))
      result = number(value, value.getDefiningOp<ir::BlockIdOp>() || value.getDefiningOp<ir::WaveIdOp>() ? 0 : unknownButUniform);
    return values[value] = result;
  }

  Attribute number(mlir::Value value, int64_t n) {
    unsigned bits = value.getType().isIndex() ? 64 : value.getType().getIntOrFloatBitWidth();
    return IntegerAttr::get(value.getType(), llvm::APInt(bits, uint64_t(n), true, true));
  }

  Attribute compute(mlir::Value value) {
    mlir::Operation *op = value.getDefiningOp();
    if (!op)
      return atEntry(llvm::cast<mlir::BlockArgument>(value));
    if (auto id = llvm::dyn_cast<ir::ThreadIdOp>(op))
      return threadId(id);
    if (llvm::isa<ir::LaneIdOp>(op))
      return number(value, lane);
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

  /// What a block's argument is when the thread first comes there: loops come after the block that enters them.
  Attribute atEntry(mlir::BlockArgument argument) {
    mlir::Block *block = argument.getOwner();
    for (mlir::Block &before : *block->getParent()) {
      if (&before == block)
        break;
      if (!llvm::is_contained(block->getPredecessors(), &before) || !reaches(&before) || !takes(&before, block))
        continue;
      auto branch = llvm::dyn_cast<mlir::BranchOpInterface>(before.getTerminator());
      for (unsigned s = 0; branch && s < branch->getNumSuccessors(); ++s)
        if (branch->getSuccessor(s) == block)
          if (mlir::Value operand = branch.getSuccessorOperands(s)[argument.getArgNumber()])
            return attributeOf(operand);
      return {};
    }
    return {};
  }

  Attribute threadId(ir::ThreadIdOp id) {
    auto block = kernel.getKnownBlock();
    const int64_t x = block ? (*block)[0] : 1 << 10, y = block ? (*block)[1] : 1;
    const int64_t at[] = {lane % x, lane / x % y, lane / x / y};
    return number(id.getResult(), at[unsigned(id.getDimension())]);
  }

  ir::KernelOp kernel;
  int64_t lane;
  llvm::function_ref<bool(mlir::Value)> differs;
  llvm::DenseMap<mlir::Value, Attribute> values;
};

/// A tensor for one thread: a layout of numbers, and where it begins, in elements.
struct Place { AnyLayout layout; int64_t offset; };

IntTuple knownCoordinate(LaneValues &values, IntTuple tuple, mlir::OperandRange dynamic, bool &isKnown) {
  auto operand = dynamic.begin();
  return tuple.mapLeaves([&](Leaf leaf) {
    if (!leaf.isDynamic() || operand == dynamic.end())
      return leaf;
    auto number = values.of(*operand++);
    isKnown &= number.has_value();
    return Leaf::known(number.value_or(0));
  });
}

std::optional<Place> placeOf(LaneValues &values, mlir::Value tensor) {
  InferringArithmetic arithmetic;
  mlir::Operation *op = tensor.getDefiningOp();
  if (auto made = llvm::dyn_cast_or_null<ir::MakeTensorOp>(op))
    return Place{withKnownNumbers(llvm::cast<ir::TensorType>(tensor.getType()).getLayout()), 0};
  if (!op || !op->getNumOperands() || !llvm::isa<ir::TensorType>(op->getOperand(0).getType()))
    return std::nullopt;
  auto source = placeOf(values, op->getOperand(0));
  if (!source || llvm::isa<ir::BufferOp, ir::RebaseOp>(op))
    return source;
  if (auto slice = llvm::dyn_cast<ir::SliceOp>(op)) {
    bool isKnown = true;
    IntTuple coordinate = knownCoordinate(values, slice.getCoordinate().getTuple(), slice.getDynamic(), isKnown);
    auto part = layout::sliceAndOffset(coordinate, source->layout, arithmetic);
    if (!isKnown || !part || !part->offset.isLeaf() || !part->offset.leaf().isStatic())
      return std::nullopt;
    return Place{part->layout, source->offset + part->offset.leaf().value};
  }
  if (auto step = llvm::dyn_cast<ir::RearrangeOp>(op)) {
    auto changed = step.getDynamic().empty() ? step.getStep().getStep().apply(source->layout, arithmetic) : layout::Result<AnyLayout>(layout::Error{""});
    return changed ? std::optional(Place{*changed, source->offset}) : std::nullopt;
  }
  return std::nullopt;
}

/// Where a thread's access begins, in elements, and how many it takes at once.
std::optional<std::pair<int64_t, int64_t>> runOf(LaneValues &values, mlir::Operation *op) {
  InferringArithmetic arithmetic;
  auto element = [&](auto access) -> std::optional<std::pair<int64_t, int64_t>> {
    auto place = placeOf(values, access.getTensor());
    bool isKnown = true;
    IntTuple coordinate = knownCoordinate(values, access.getCoordinate().getTuple(), access.getDynamic(), isKnown);
    auto index = place && isKnown ? layout::evaluate(coordinate, place->layout, arithmetic) : layout::Result<IntTuple>(layout::Error{""});
    if (!index || !index->isLeaf() || !index->leaf().isStatic())
      return std::nullopt;
    return std::pair(place->offset + index->leaf().value, int64_t(1));
  };
  if (auto load = llvm::dyn_cast<ir::LoadOp>(op))
    return element(load);
  if (auto store = llvm::dyn_cast<ir::StoreOp>(op))
    return element(store);
  mlir::Value tensor = llvm::isa<ir::LoadVectorOp>(op) ? op->getOperand(0) : op->getOperand(1);
  auto type = llvm::cast<ir::TensorType>(tensor.getType());
  auto place = placeOf(values, tensor);
  constexpr int64_t widest = 16;
  const int64_t count = ir::elementsIn(type, widest);
  auto runs = layout::runsOf(type.getLayout(), count, type.getSpace() == ir::AddressSpace::Shared ? ir::elementsAligned(type) : count);
  auto first = place ? layout::evaluate(IntTuple(0), place->layout, arithmetic) : layout::Result<IntTuple>(layout::Error{""});
  if (!runs || !first || !first->isLeaf() || !first->leaf().isStatic())
    return std::nullopt;
  return std::pair(place->offset + first->leaf().value, runs->runs.front().count);
}

} // namespace

void noteAccess(Elaborator &e, mlir::Operation *op, SourceRange range) {
  if (!e.trialDepth && wantsPerformance(e))
    e.accesses.push_back({op, range});
}

void checkAccesses(Elaborator &e, ir::KernelOp kernel) {
  if (e.accesses.empty())
    return;
  auto isDivergent = divergentInWave(kernel, e.target.waveSize);
  auto differs = [&](mlir::Value value) { return isDivergent.contains(value); };
  int64_t lanes = e.target.waveSize;
  if (auto block = kernel.getKnownBlock())
    lanes = std::min<int64_t>(lanes, int64_t((*block)[0]) * (*block)[1] * (*block)[2]);
  std::vector<LaneValues> ofLane;
  for (int64_t lane = 0; lane < lanes; ++lane)
    ofLane.emplace_back(kernel, lane, differs);
  for (auto &[op, range] : e.accesses) {
    const bool isWrite = llvm::isa<ir::StoreOp, ir::StoreVectorOp>(op);
    auto type = llvm::cast<ir::TensorType>(op->getOperand(isWrite ? 1 : 0).getType());
    llvm::StringRef text = e.diags.sources.text(range);
    const std::string name = text.contains('\n') ? "this tensor" : "`" + text.str() + "`";
    WaveAccess access{type.getSpace(), {}, 0, 0, isWrite, name, range};
    bool isKnown = true;
    for (int64_t lane = 0; lane < lanes && isKnown; ++lane) {
      const bool active = ofLane[size_t(lane)].reaches(op->getBlock());
      auto run = active ? runOf(ofLane[size_t(lane)], op) : std::optional(std::pair<int64_t, int64_t>());
      isKnown = run.has_value();
      access.addresses.push_back(isKnown ? uint64_t(run->first * type.getElementBits() / 8) : 0);
      if (!active || !isKnown)
        continue;
      access.active |= uint64_t(1) << lane;
      access.bits = run->second * type.getElementBits();
    }
    if (isKnown && access.active)
      reportPattern(e, access, "let neighbouring threads reach what is next to each other: `thread_id.x` belongs in the contiguous mode");
  }
}

} // namespace fly::sema
