// See TilesOutside.h.
//
// What a view makes of a coordinate is what it makes of the tensor's own coordinates: the steps after the ragged one
// are applied to the identity layout of what it divided. Each thread of a workgroup has its coordinate there, as far as
// it can be computed (LaneValues.h). A condition that is not known may be what keeps it inside, if it differs between
// threads: then there is a doubt, which is a warning where the tensor is in LDS. One that is the same for the whole
// workgroup keeps no single thread from leaving a tensor whose extents are numbers. Of loops the first turn counts.
//
// Hardware compares offsets in a buffer with its end. That protects what lies beyond the whole tensor, but no row from
// the next.
#include "compiler/analysis/TilesOutside.h"

#include "compiler/dialect/Copies.h"
#include "compiler/dialect/Views.h"
#include "compiler/layout/Algebra.h"
#include "compiler/layout/Rearrangement.h"
#include "compiler/layout/TupleArithmetic.h"
#include "compiler/analysis/Divergence.h"
#include "compiler/analysis/LaneValues.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Dominance.h"

#include <set>

namespace fly::analysis {

using layout::AnyLayout;
using layout::InferringArithmetic;
using layout::IntTuple;
using layout::Leaf;

static ir::TensorType typeOf(mlir::Value tensor) { return llvm::cast<ir::TensorType>(tensor.getType()); }

namespace {

/// A view that an operation accesses; `name` is its tensor's.
struct Piece {
  mlir::Operation *op;
  mlir::Value view;
  SourceRange range;
  std::string name;
};

/// The element of a tensor that is accessed, or all elements, in coordinates of what the first ragged step divided.
class Reach {
public:
  /// None if the tensor's extents are not known, or a step on the way is of no use here.
  static std::optional<Reach> of(mlir::Operation *op, mlir::Value tensor) {
    Reach reach;
    ir::RearrangeOp ragged = firstRaggedStep(tensor);
    if (!ragged)
      return std::nullopt;
    reach.tensor = tensor, reach.step = ragged;
    reach.shape = typeOf(ragged.getSource()).getDomain().shape();
    if (!reach.shape.isStatic())
      return std::nullopt;
    std::vector<mlir::Operation *> way;
    for (mlir::Operation *at : ir::stepsTo(tensor)) {
      way.push_back(at);
      if (at == ragged)
        break;
    }
    InferringArithmetic arithmetic;
    auto identity = layout::identityLayout(reach.shape);
    if (!identity)
      return std::nullopt;
    AnyLayout now = *identity;
    for (mlir::Operation *at : llvm::reverse(way)) {
      if (auto step = llvm::dyn_cast<ir::RearrangeOp>(at)) {
        auto changed = step.getDynamic().empty() ? step.getStep().getStep().apply(now, arithmetic)
                                                 : layout::Result<AnyLayout>(layout::Error{""});
        if (!changed)
          return std::nullopt;
        now = *changed;
      } else if (auto slice = llvm::dyn_cast<ir::SliceOp>(at)) {
        reach.slices.push_back({slice.getCoordinate().getTuple(), slice.getDynamic(), now, at});
        bool isKnown = true;
        auto none = [](mlir::Value) { return std::optional<int64_t>(0); };
        auto part = layout::sliceAndOffset(
            numbered(slice.getCoordinate().getTuple(), slice.getDynamic(), none, isKnown), now, arithmetic);
        if (!part)
          return std::nullopt;
        now = part->layout;
      } else if (!llvm::isa<ir::BufferOp, ir::RebaseOp>(at))
        return std::nullopt;
    }
    auto single = [&](auto access) {
      reach.slices.push_back({access.getCoordinate().getTuple(), access.getDynamic(), now, op}), reach.isSingle = true;
    };
    if (auto load = llvm::dyn_cast<ir::LoadOp>(op))
      single(load);
    else if (auto store = llvm::dyn_cast<ir::StoreOp>(op))
      single(store);
    else {
      auto size = layout::size(layout::domainOf(now), arithmetic);
      constexpr int64_t most = 1 << 16; // elements of one thread
      if (!size || !size->isStatic() || size->value > most)
        return std::nullopt;
      auto copy = llvm::dyn_cast<ir::CopyOp>(op);
      if (!(copy ? reach.addAccesses(copy, now) : reach.addElements(now)))
        return std::nullopt;
    }
    reach.sumWhatIsKnown();
    return reach;
  }

  /// All elements of a part of the tensor, which begins at `begin`, or where the tensor does.
  bool addElements(const AnyLayout &part, const IntTuple *begin = nullptr) {
    InferringArithmetic arithmetic;
    auto size = layout::size(layout::domainOf(part), arithmetic);
    for (int64_t i = 0; i < size->value; ++i)
      if (auto at = layout::evaluate(IntTuple(i), part, arithmetic)) {
        auto sum = begin ? layout::addCoordinates(*begin, *at, arithmetic) : at;
        if (!sum)
          return false;
        elements.push_back(*sum);
      }
    return true;
  }

  /// Those of a copy, access by access.
  bool addAccesses(ir::CopyOp copy, const AnyLayout &view) {
    InferringArithmetic arithmetic;
    auto divided = ir::intoAccesses(copy.getValues()).apply(view, arithmetic);
    if (!divided)
      return false;
    auto accesses = ir::Accesses::of(layout::domainOf(*divided));
    if (!accesses)
      return false;
    for (const IntTuple &access : *accesses) {
      auto part = layout::sliceAndOffset(access, *divided, arithmetic);
      if (!part || !addElements(part->layout, &part->offset))
        return false;
    }
    return true;
  }

  /// Where slices begin for one thread, mode by mode: the pieces of a copy have most of them in common.
  using Begins = llvm::DenseMap<mlir::Operation *, std::optional<llvm::SmallVector<int64_t, 4>>>;

  /// Whether a thread may be led outside at all: what the steps on the way add, and the furthest element of the piece.
  bool mayLeave(LaneValues &values, Begins &begins) {
    llvm::SmallVector<int64_t, 4> sum = furthest;
    for (auto &slice : slices) {
      if (slice.dynamic.empty())
        continue;
      auto [found, isNew] = begins.try_emplace(slice.op);
      if (isNew) {
        bool isKnown = true;
        IntTuple at =
            numbered(slice.coordinate, slice.dynamic, [&](mlir::Value value) { return values.of(value); }, isKnown);
        if (isKnown)
          found->second = leavesAt(slice, at);
      }
      if (!found->second)
        return false;
      for (size_t i = 0; i < sum.size(); ++i)
        sum[i] += (*found->second)[i];
    }
    auto extents = shape.leaves();
    for (size_t i = 0; i < sum.size(); ++i)
      if (sum[i] >= extents[i].value)
        return true;
    return false;
  }

  /// The first coordinate outside of the tensor that a thread accesses; none if all are inside, or not known.
  std::optional<IntTuple> outside(LaneValues &values) {
    InferringArithmetic arithmetic;
    bool isKnown = true;
    IntTuple begin = shape.mapLeaves([](const Leaf &) { return Leaf::known(0); });
    auto numberOf = [&](mlir::Value value) { return values.of(value); };
    for (auto &slice : slices) {
      IntTuple at = numbered(slice.coordinate, slice.dynamic, numberOf, isKnown);
      if (!isKnown)
        return std::nullopt;
      IntTuple offset;
      if (isSingle && &slice == &slices.back()) {
        auto place = layout::evaluate(at, slice.before, arithmetic);
        if (!place)
          return std::nullopt;
        offset = *place;
      } else {
        auto part = layout::sliceAndOffset(at, slice.before, arithmetic);
        if (!part)
          return std::nullopt;
        offset = part->offset;
      }
      auto sum = layout::addCoordinates(begin, offset, arithmetic);
      if (!sum)
        return std::nullopt;
      begin = *sum;
    }
    if (isSingle)
      return isOutside(begin, shape) && !isProtected(values, 0) ? std::optional(begin) : std::nullopt;
    for (size_t i = 0; i < elements.size(); ++i) {
      auto at = layout::addCoordinates(begin, elements[i], arithmetic);
      if (at && isOutside(*at, shape) && !isProtected(values, int64_t(i)))
        return *at;
    }
    return std::nullopt;
  }

  static bool isOutside(const IntTuple &coordinate, const IntTuple &shape) {
    if (coordinate.isTuple() && shape.isTuple()) {
      for (size_t i = 0; i < coordinate.rank() && i < shape.rank(); ++i)
        if (isOutside(coordinate.mode(i), shape.mode(i)))
          return true;
      return false;
    }
    return coordinate.isLeaf() && shape.isLeaf() && coordinate.leaf().isStatic() &&
           coordinate.leaf().value >= shape.leaf().value;
  }

  ir::RearrangeOp step; ///< the ragged one
  IntTuple shape;       ///< of what it divides

private:
  struct Slice {
    IntTuple coordinate;
    mlir::OperandRange dynamic;
    AnyLayout before;
    mlir::Operation *op;
  };

  std::optional<llvm::SmallVector<int64_t, 4>> leavesOf(const IntTuple &offset) const {
    InferringArithmetic arithmetic;
    auto whole =
        layout::addCoordinates(shape.mapLeaves([](const Leaf &) { return Leaf::known(0); }), offset, arithmetic);
    if (!whole || !whole->isStatic())
      return std::nullopt;
    llvm::SmallVector<int64_t, 4> out;
    for (const Leaf &leaf : whole->leaves())
      out.push_back(leaf.value);
    return out.size() == shape.leaves().size() ? std::optional(out) : std::nullopt;
  }

  std::optional<llvm::SmallVector<int64_t, 4>> leavesAt(const Slice &slice, const IntTuple &at) const {
    InferringArithmetic arithmetic;
    if (isSingle && &slice == &slices.back()) {
      auto place = layout::evaluate(at, slice.before, arithmetic);
      return place ? leavesOf(*place) : std::nullopt;
    }
    auto part = layout::sliceAndOffset(at, slice.before, arithmetic);
    return part ? leavesOf(part->offset) : std::nullopt;
  }

  /// Of the elements of a piece the furthest in each mode, with what the slices add that need no thread.
  void sumWhatIsKnown() {
    furthest.assign(shape.leaves().size(), 0);
    for (auto &element : elements)
      if (auto leaves = leavesOf(element))
        for (size_t i = 0; i < furthest.size(); ++i)
          furthest[i] = std::max(furthest[i], (*leaves)[i]);
    for (auto &slice : slices)
      if (auto leaves = slice.dynamic.empty() ? leavesAt(slice, slice.coordinate) : std::nullopt)
        for (size_t i = 0; i < furthest.size(); ++i)
          furthest[i] += (*leaves)[i];
  }

  template <typename NumberOf> static IntTuple numbered(const IntTuple &tuple, mlir::OperandRange dynamic,
                                                        NumberOf numberOf, bool &isKnown) {
    auto operand = dynamic.begin();
    return tuple.mapLeaves([&](Leaf leaf) {
      if (!leaf.isDynamic() || operand == dynamic.end())
        return leaf;
      std::optional<int64_t> number = numberOf(*operand++);
      isKnown &= number.has_value();
      return Leaf::known(number.value_or(0));
    });
  }

  /// Whether an element of the piece lies beyond the end of a buffer; where that is not known it is taken to.
  bool isProtected(LaneValues &values, int64_t element) {
    ir::BufferOp buffer = ir::bufferOf(tensor);
    if (!buffer)
      return false;
    InferringArithmetic arithmetic;
    auto span = layout::cosize(typeOf(buffer.getTensor()).getLayout(), arithmetic);
    auto start = values.placeOf(buffer.getTensor()), here = values.placeOf(tensor);
    auto at = here && !isSingle ? placeAt(*here, IntTuple(element)) : std::nullopt;
    return !span || !span->isStatic() || !start || !at || at->real - start->offset >= span->value;
  }

  mlir::Value tensor;
  std::vector<Slice> slices;
  llvm::SmallVector<int64_t, 4> furthest;
  std::vector<IntTuple> elements; ///< of a piece, from where it begins
  bool isSingle = false;
};

/// Whether a thread comes to a block if its workgroup does; loops are in their first turn.
class Way {
public:
  enum Answer : uint8_t { No, Perhaps /* a condition of the thread's own is not known */, Yes };

  explicit Way(Context &context)
      : context(context), dominance(context.kernel), postDominance(context.kernel),
        entry(&context.kernel.getBody().front()) {}

  Answer leadsTo(mlir::Block *block, LaneValues &values) {
    Answer answer = Yes;
    while (block != entry) {
      auto *node = dominance.getNode(block);
      mlir::Block *above = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
      if (!above)
        return No;
      if (!postDominance.postDominates(block, above)) {
        auto branch = llvm::dyn_cast<mlir::cf::CondBranchOp>(above->getTerminator());
        if (!branch)
          return No;
        std::optional<int64_t> condition = values.of(branch.getCondition());
        if (!condition) {
          if (differs(branch.getCondition()))
            answer = Perhaps;
          condition = dominance.dominates(branch.getTrueDest(), block);
        }
        auto *taken = *condition ? branch.getTrueDest() : branch.getFalseDest(),
             *other = *condition ? branch.getFalseDest() : branch.getTrueDest();
        if (taken == other || !dominance.dominates(taken, block) || dominance.dominates(other, block))
          return No;
      }
      block = above;
    }
    return answer;
  }

private:
  /// Between the threads of a workgroup.
  bool differs(mlir::Value value) {
    if (!divergent)
      divergent = divergentInWorkgroup(context.kernel, context.ranges, context.target.waveSize);
    return divergent->contains(value);
  }

  Context &context;
  mlir::DominanceInfo dominance;
  mlir::PostDominanceInfo postDominance;
  mlir::Block *entry;
  std::optional<llvm::DenseSet<mlir::Value>> divergent; ///< of the kernel, as soon as somebody asks
};

/// How a coordinate in a mode that the tile does not divide came to be outside: "40 of mode 1 is not a multiple of 32".
std::string reasonOf(ir::RearrangeOp step, const IntTuple &shape, const IntTuple &outside) {
  const layout::Tile &tile = step.getStep().getStep().tile;
  InferringArithmetic arithmetic;
  auto modeReason = [&](const layout::Tile &part, const IntTuple &mode, size_t i) -> std::string {
    if (part.isTuple() || part.kind() == layout::Tile::Kind::Keep)
      return "";
    auto wanted = layout::size(part.layout(), arithmetic);
    auto whole = layout::size(mode, arithmetic);
    if (!wanted || !whole || !wanted->isStatic() || !whole->isStatic() || wanted->value < 1 ||
        whole->value % wanted->value == 0)
      return "";
    return std::to_string(whole->value) + " of mode " + std::to_string(i) +
           (whole->value < wanted->value ? " is less than " : " is not a multiple of ") + std::to_string(wanted->value);
  };
  if (!tile.isTuple())
    return modeReason(tile, shape, 0);
  for (size_t i = 0; i < tile.rank() && i < shape.rank(); ++i)
    if (!Reach::isOutside(outside.isTuple() ? outside.mode(i) : outside, shape.isTuple() ? shape.mode(i) : shape))
      continue;
    else if (std::string reason = modeReason(tile.mode(i), shape.isTuple() ? shape.mode(i) : shape, i); !reason.empty())
      return reason;
  return "";
}

} // namespace

/// What is accessed without a predicate, where tiles may lead outside of its tensor.
static std::vector<Piece> raggedPieces(Context &context) {
  std::vector<Piece> all;
  auto add = [&](mlir::Operation *op, mlir::Value view, mlir::Location location, std::string name) {
    if (firstRaggedStep(view))
      all.push_back({op, view, context.places.of(location), std::move(name)});
  };
  context.kernel.walk([&](ir::CopyOp copy) {
    if (copy.getPredicates().empty())
      for (auto [view, side] : {std::pair(copy.getSource(), "source"), std::pair(copy.getDestination(), "destination")})
        if (mlir::Location location = ir::argumentIn(copy.getLoc(), side); llvm::isa<ir::TensorType>(view.getType()))
          add(copy, view, location, tensorIn(location));
  });
  for (mlir::Operation *op : singleAccesses(context.kernel))
    add(op, accessedBy(op), op->getLoc(), "the tensor");
  return all;
}

void checkTilesInside(Context &context, std::array<int64_t, 3> grid) {
  ir::KernelOp kernel = context.kernel;
  const std::vector<Piece> all = raggedPieces(context);
  if (all.empty())
    return;
  auto known = kernel.getKnownBlock();
  const int64_t threads = known ? int64_t((*known)[0]) * (*known)[1] * (*known)[2] : 1;
  Way way(context);
  std::set<std::pair<unsigned, uint32_t>> reported; // a piece after the other of one copy
  std::array<int64_t, 3> workgroup = {0, 0, 0};
  auto unknown = [&](mlir::Value value) -> std::optional<int64_t> {
    if (auto id = value.getDefiningOp<ir::BlockIdOp>())
      return workgroup[unsigned(id.getDimension())];
    return std::nullopt;
  };
  const std::array<int64_t, 3> last = {grid[0] - 1, grid[1] - 1, grid[2] - 1};
  std::vector<std::optional<Reach>> reaches;
  for (auto &piece : all)
    reaches.push_back(Reach::of(piece.op, piece.view));
  auto checkIn = [&](std::array<int64_t, 3> where) {
    workgroup = where;
    for (int64_t thread = 0; thread < threads; ++thread) {
      LaneValues values(kernel, thread, unknown);
      values.waveSize = context.target.waveSize;
      Reach::Begins begins;
      llvm::DenseMap<mlir::Block *, Way::Answer> answers;
      auto comesTo = [&](mlir::Block *block) {
        auto [found, isNew] = answers.try_emplace(block, Way::No);
        if (isNew)
          found->second = way.leadsTo(block, values);
        return found->second;
      };
      for (size_t i = 0; i < all.size(); ++i) {
        auto &[op, view, range, name] = all[i];
        if (!reaches[i] || reported.contains({unsigned(range.file), range.begin}))
          continue;
        const Way::Answer comes = comesTo(op->getBlock());
        const bool isShared = typeOf(view).getSpace() == ir::AddressSpace::Shared;
        if (comes == Way::No || (comes == Way::Perhaps && !isShared) || !reaches[i]->mayLeave(values, begins))
          continue;
        auto outside = reaches[i]->outside(values);
        if (!outside)
          continue;
        reported.insert({unsigned(range.file), range.begin});
        const std::string reason = reasonOf(reaches[i]->step, reaches[i]->shape, *outside);
        const std::string where = "element " + outside->text() + ", outside " + name + " of shape " +
                                  reaches[i]->shape.text() + (reason.empty() ? "" : ": " + reason);
        auto builder = comes == Way::Perhaps
                           ? context.reporter.report(range, diag::tile_may_leave{.thread = thread, .element = where})
                           : context.reporter.report(diag::tile_coverage, range,
                                                     {"thread " + std::to_string(thread) + " would access " + where});
        builder.help(
            "use tiles that divide it, or a predicate: `pred=elem_less(coordinates, shape)`, where `coordinates` "
            "is `identity_tensor(shape)` divided in the same way");
      }
    }
  };
  checkIn({0, 0, 0});
  if (last != std::array<int64_t, 3>{0, 0, 0})
    checkIn(last);
}

} // namespace fly::analysis
