// See AccessPatterns.h.
//
// Each lane of the kernel's first wave has its `thread_id`; what is computed from it is folded (LaneValues.h). What is
// not known but the same for all lanes stands for a large number, so that rows lie far apart; indices of workgroups are
// 0, a loop is in its first turn. An access whose place is computed from what differs between lanes and is not known
// (loaded indices, random numbers) is passed over. Lanes that a condition is known to keep out do not count.
//
// A partition's lanes are a mode of its layout, the first one. What it is part of begins where it does for the first
// lane. The copies of its parts say how it is accessed, whatever atom it was divided for; one that only gives a
// fragment its shape is not accessed.
#include "compiler/analysis/AccessPatterns.h"

#include "compiler/dialect/AccessWidth.h"
#include "compiler/dialect/Views.h"
#include "compiler/layout/Algebra.h"
#include "compiler/analysis/Divergence.h"
#include "compiler/analysis/Performance.h"

#include <set>

namespace fly::analysis {

using layout::InferringArithmetic;
using layout::IntTuple;
using layout::Leaf;

namespace {

constexpr int64_t unknownButUniform = 1 << 16;

/// What a lane has of a partition beside its first access: its other values, and the tiles next to the first one, along
/// each mode.
void addBesides(WaveAccess &access, const Place &place, int64_t lanes) {
  InferringArithmetic arithmetic;
  constexpr int64_t most = 1 << 16, tiles = 4;
  const layout::Layout &domain = access.type.getDomain();
  auto values = layout::size(domain.mode(0).mode(1), arithmetic);
  const int64_t perAccess = std::max<int64_t>(1, access.bits / access.type.getElementBits());
  if (!values || !values->isStatic() || lanes * (values->value / perAccess) > most)
    return;
  const auto extents = layout::domainOf(place.layout).mode(1).shape().leaves();
  std::vector<int64_t> rests = {0}; // as numbers, the first mode fastest
  int64_t step = 1;
  for (const Leaf &extent : extents) {
    for (int64_t i = 1; i < std::min(tiles, extent.value); ++i)
      rests.push_back(i * step);
    if (step > most)
      break;
    step *= extent.value;
  }
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t value = 0; value < values->value; value += perAccess)
      for (int64_t rest : rests)
        if (auto at =
                placeAt(place, IntTuple(std::vector<IntTuple>{IntTuple(std::vector<IntTuple>{lane, value}), rest})))
          access.besides.push_back(
              {uint64_t(access.byteOf(at->real)), uint64_t(access.byteOf(at->real) + access.bits / 8)});
}

/// What a lane has of `.load()` or `.store(v)` beside its first access.
void addRest(WaveAccess &access, LaneValues &values, mlir::Value tensor, mlir::Operation *op, int64_t count) {
  InferringArithmetic arithmetic;
  if (llvm::isa<ir::LoadOp, ir::StoreOp>(op))
    return;
  auto place = values.placeOf(tensor);
  auto size = layout::size(access.type.getDomain(), arithmetic);
  for (int64_t i = count; place && size && i < size->value; i += count)
    if (auto at = placeAt(*place, IntTuple(i)))
      access.besides.push_back(
          {uint64_t(access.byteOf(at->real)), uint64_t(access.byteOf(at->real) + access.bits / 8)});
}

class Gatherer {
public:
  Gatherer(Context &context, bool says)
      : context(context), says(says),
        divergent(divergentInWave(context.kernel, context.ranges, context.target.waveSize)),
        lanes(context.target.waveSize) {
    if (auto block = context.kernel.getKnownBlock())
      lanes = std::min<int64_t>(lanes, int64_t((*block)[0]) * (*block)[1] * (*block)[2]);
    for (int64_t lane = 0; lane < lanes; ++lane)
      ofLane.emplace_back(context.kernel, lane, unknown);
    context.kernel.walk([&](ir::PartitionOp partition) {
      if (mlir::Operation *made = partition.getTensor().getDefiningOp())
        copies.try_emplace(made->getLoc());
    });
    context.kernel.walk([&](ir::CopyOp copy) {
      for (auto [view, isWrite] : {std::pair(copy.getSource(), false), std::pair(copy.getDestination(), true)})
        for (mlir::Operation *step : ir::stepsTo(view))
          if (auto found = copies.find(step->getLoc()); found != copies.end()) {
            found->second.accesses.insert({int64_t(copy.getAtom().getBits()), isWrite});
            found->second.isTakenWide |= copy.getIsWidest();
            break;
          }
    });
  }

  void gather(mlir::Operation *op, std::vector<WaveAccess> &out) {
    auto add = [&](std::optional<WaveAccess> access) {
      if (access)
        out.push_back(std::move(*access));
    };
    auto partition = llvm::dyn_cast<ir::PartitionOp>(op);
    if (!partition)
      return add(ofSingle(op));
    if (const Copies *copies = copiesOf(partition))
      for (auto [bits, isWrite] : copies->accesses)
        add(ofPartition(partition, bits, isWrite, copies->isTakenWide));
  }

private:
  std::optional<WaveAccess> ofSingle(mlir::Operation *op) {
    const SourceRange range = context.rangeOf(op);
    mlir::Value tensor = accessedBy(op);
    WaveAccess access;
    access.op = op;
    access.type = llvm::cast<ir::TensorType>(tensor.getType()), access.origin = ir::originOf(tensor);
    llvm::StringRef text = context.textOf(range);
    access.name = text.contains('\n') ? "this tensor" : "`" + text.str() + "`";
    access.isWrite = isWrite(op), access.range = range, access.block = op->getBlock();
    for (int64_t lane = 0; lane < lanes; ++lane) {
      LaneValues &values = ofLane[size_t(lane)];
      access.places.push_back({});
      if (!values.reaches(op->getBlock()))
        continue;
      auto run = values.runOf(op);
      if (!run)
        return std::nullopt;
      access.places.back() = run->at;
      access.active |= uint64_t(1) << lane;
      access.bits = run->count * access.type.getElementBits();
      addRest(access, values, tensor, op, run->count);
    }
    return access.active ? std::optional(std::move(access)) : std::nullopt;
  }

  std::optional<WaveAccess> ofPartition(ir::PartitionOp op, int64_t bits, bool isWrite, bool isTakenWide) {
    mlir::Value tensor = op.getTensor();
    const int64_t lanes = int64_t(op.getLanes());
    WaveAccess access;
    access.op = op;
    access.type = llvm::cast<ir::TensorType>(tensor.getType()), access.origin = ir::originOf(tensor);
    access.isOfCopy = true, access.isWrite = isWrite, access.bits = bits;
    access.range = context.rangeOf(op), access.block = op->getBlock();
    access.name = tensorIn(op.getLoc());
    if (int64_t legal = ir::widestOfThread(tensor); says && legal > bits && !isTakenWide)
      reportNarrowCopy(context, access, legal, op.getElement().str());
    auto place = ofLane[0].placeOf(tensor);
    if (!place)
      place = Place{withKnownNumbers(access.type.getLayout()), 0};
    for (int64_t lane = 0; lane < lanes; ++lane) {
      auto at = placeAt(*place, IntTuple(std::vector<IntTuple>{IntTuple(std::vector<IntTuple>{lane, 0}), 0}));
      if (!at)
        return std::nullopt;
      access.places.push_back(*at);
      access.active |= uint64_t(1) << lane;
    }
    addBesides(access, *place, lanes);
    return access;
  }

  Context &context;
  bool says;
  llvm::DenseSet<mlir::Value> divergent;
  std::function<std::optional<int64_t>(mlir::Value)> unknown = [this](mlir::Value value) -> std::optional<int64_t> {
    if (divergent.contains(value))
      return std::nullopt;
    return value.getDefiningOp<ir::BlockIdOp>() || value.getDefiningOp<ir::WaveIdOp>() ? 0 : unknownButUniform;
  };
  int64_t lanes;
  std::vector<LaneValues> ofLane;
  /// How the copies of its parts access a partition.
  struct Copies {
    std::set<std::pair<int64_t, bool>> accesses; ///< bits, and whether they write
    bool isTakenWide = false; ///< `copy("auto")` moves a part: the accesses are the widest, whatever the atom is
  };
  /// A partition is known by the place of its view: where a part of a buffer gets its own buffer, views of it are
  /// cloned.
  llvm::DenseMap<mlir::Location, Copies> copies;
  /// Null if nothing copies a part.
  const Copies *copiesOf(ir::PartitionOp partition) const {
    mlir::Operation *made = partition.getTensor().getDefiningOp();
    auto found = made ? copies.find(made->getLoc()) : copies.end();
    return found == copies.end() ? nullptr : &found->second;
  }
};

} // namespace

std::vector<WaveAccess> waveAccesses(Context &context, bool says) {
  std::optional<Gatherer> gatherer;
  std::vector<WaveAccess> accesses;
  context.kernel.walk([&](mlir::Operation *op) {
    if (!llvm::isa<ir::PartitionOp>(op) && !isSingleAccess(op))
      return;
    if (!gatherer)
      gatherer.emplace(context, says);
    gatherer->gather(op, accesses);
  });
  return accesses;
}

void checkAccesses(Context &context) {
  if (wantsPerformance(context.reporter.diags))
    reportPatterns(context, waveAccesses(context, /*says=*/true));
}

} // namespace fly::analysis
