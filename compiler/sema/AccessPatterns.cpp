// See AccessPatterns.h.
//
// Each lane of the kernel's first wave has its `thread_id`; what is computed from it is folded (LaneValues.h). What is not known but
// the same for all lanes stands for a large number, so that rows lie far apart; indices of workgroups are 0, a loop is in its first
// turn. An access whose place is computed from what differs between lanes and is not known (loaded indices, random numbers) is passed
// over. Lanes that a condition is known to keep out do not count.
//
// A partition's lanes are a mode of its layout, the first one. What it is part of begins where it does for the first lane.
#include "compiler/sema/AccessPatterns.h"

#include "compiler/layout/Algebra.h"
#include "compiler/sema/Divergence.h"
#include "compiler/sema/Performance.h"
#include "compiler/sema/TilesOutside.h"

namespace fly::sema {

using layout::InferringArithmetic;
using layout::IntTuple;
using layout::Leaf;

namespace {

constexpr int64_t unknownButUniform = 1 << 16;

/// What a lane has of a partition beside its first access: its other values, and the tiles next to the first one, along each mode.
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
        if (auto at = placeAt(place, IntTuple(std::vector<IntTuple>{IntTuple(std::vector<IntTuple>{lane, value}), rest})))
          access.besides.push_back({uint64_t(access.byteOf(at->real)), uint64_t(access.byteOf(at->real) + access.bits / 8)});
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
      access.besides.push_back({uint64_t(access.byteOf(at->real)), uint64_t(access.byteOf(at->real) + access.bits / 8)});
}

/// The attribute of a partition's tensor, until the kernel's end: for each that was noted, in order, its name and numbers.
constexpr const char *noted = "noted_partitions";
enum NotedNumber { IsWrite, Bits, Lanes, Legal };
/// Of such a tensor: `copy("auto")` takes the widest accesses of it.
constexpr const char *takenWide = "noted_taken_wide";

class Gatherer {
public:
  Gatherer(Elaborator &e, ir::KernelOp kernel) : e(e), divergent(divergentInWave(kernel, e.target.waveSize)), lanes(e.target.waveSize) {
    if (auto block = kernel.getKnownBlock())
      lanes = std::min<int64_t>(lanes, int64_t((*block)[0]) * (*block)[1] * (*block)[2]);
    for (int64_t lane = 0; lane < lanes; ++lane)
      ofLane.emplace_back(kernel, lane, unknown);
  }

  std::optional<WaveAccess> of(mlir::Operation *op, SourceRange range) { return op->hasAttr(noted) ? ofPartition(op, range) : ofSingle(op, range); }

private:
  std::optional<WaveAccess> ofSingle(mlir::Operation *op, SourceRange range) {
    mlir::Value tensor = accessedBy(op);
    WaveAccess access;
    access.type = llvm::cast<ir::TensorType>(tensor.getType()), access.origin = originOf(tensor);
    llvm::StringRef text = e.diags.sources.text(range);
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

  std::optional<WaveAccess> ofPartition(mlir::Operation *op, SourceRange range) {
    auto all = op->getAttrOfType<mlir::ArrayAttr>(noted);
    auto entry = llvm::cast<mlir::ArrayAttr>(all[next[op]++]);
    const llvm::ArrayRef<int64_t> note = llvm::cast<mlir::DenseI64ArrayAttr>(entry[1]).asArrayRef();
    mlir::Value tensor = op->getResult(0);
    WaveAccess access;
    access.type = llvm::cast<ir::TensorType>(tensor.getType()), access.origin = originOf(tensor);
    access.isOfCopy = true, access.isWrite = note[IsWrite], access.bits = note[Bits], access.range = range, access.block = op->getBlock();
    access.name = llvm::cast<mlir::StringAttr>(entry[0]).str();
    if (note[Legal] > note[Bits] && !op->hasAttr(takenWide))
      reportNarrowCopy(e, access, note[Legal], llvm::cast<mlir::StringAttr>(entry[2]).str());
    auto place = ofLane[0].placeOf(tensor);
    if (!place)
      place = Place{withKnownNumbers(access.type.getLayout()), 0};
    for (int64_t lane = 0; lane < note[Lanes]; ++lane) {
      auto at = placeAt(*place, IntTuple(std::vector<IntTuple>{IntTuple(std::vector<IntTuple>{lane, 0}), 0}));
      if (!at)
        return std::nullopt;
      access.places.push_back(*at);
      access.active |= uint64_t(1) << lane;
    }
    addBesides(access, *place, note[Lanes]);
    return access;
  }

  Elaborator &e;
  llvm::DenseSet<mlir::Value> divergent;
  std::function<std::optional<int64_t>(mlir::Value)> unknown = [this](mlir::Value value) -> std::optional<int64_t> {
    if (divergent.contains(value))
      return std::nullopt;
    return value.getDefiningOp<ir::BlockIdOp>() || value.getDefiningOp<ir::WaveIdOp>() ? 0 : unknownButUniform;
  };
  int64_t lanes;
  std::vector<LaneValues> ofLane;
  std::map<mlir::Operation *, unsigned> next;
};

} // namespace

void noteAccess(Elaborator &e, mlir::Operation *op, SourceRange range) {
  if (!e.trialDepth && (wantsPerformance(e) || firstRaggedStep(accessedBy(op))))
    e.accesses.push_back({op, range});
}

void notePartition(Elaborator &e, const TiledCopy &copy, const Value &tensor, const Value &owned, bool isWrite, SourceRange range) {
  auto *memory = owned.as<TensorValue>();
  if (!memory || e.trialDepth || !wantsPerformance(e) || copy.atom->layouts().threads != 1)
    return;
  mlir::Operation *op = memory->value.getDefiningOp();
  if (!op)
    return;
  llvm::SmallVector<mlir::Attribute> all;
  if (auto before = op->getAttrOfType<mlir::ArrayAttr>(noted))
    llvm::append_range(all, before);
  all.push_back(mlir::ArrayAttr::get(&e.context, {mlir::StringAttr::get(&e.context, nameOf(tensor)),
                                                  mlir::DenseI64ArrayAttr::get(&e.context, {isWrite, copy.atom->bits, std::min<int64_t>(e.target.waveSize, copy.threads()), legalBits(*memory)}),
                                                  mlir::StringAttr::get(&e.context, host::format(memory->element).name)}));
  op->setAttr(noted, mlir::ArrayAttr::get(&e.context, all));
  e.accesses.push_back({op, range});
}

void noteTakenWide(const Value &part) {
  auto *tensor = part.as<TensorValue>();
  for (mlir::Operation *op = tensor ? tensor->value.getDefiningOp() : nullptr; op; op = op->getNumOperands() ? op->getOperand(0).getDefiningOp() : nullptr)
    if (op->hasAttr(noted))
      return op->setAttr(takenWide, mlir::UnitAttr::get(op->getContext()));
}

void checkAccesses(Elaborator &e, ir::KernelOp kernel) {
  if (e.accesses.empty() || !wantsPerformance(e))
    return;
  Gatherer gatherer(e, kernel);
  std::vector<WaveAccess> accesses;
  for (auto &[op, range] : e.accesses)
    if (auto access = gatherer.of(op, range))
      accesses.push_back(std::move(*access));
  for (auto &[op, range] : e.accesses)
    op->removeAttr(noted), op->removeAttr(takenWide);
  reportPatterns(e, accesses);
}

} // namespace fly::sema
