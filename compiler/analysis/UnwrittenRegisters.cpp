// See UnwrittenRegisters.h.
//
// The bits of a register that was never written are unspecified. The optimizer usually makes them zero, which is what a
// sum wants to begin with, so no test of the machine code would notice.
//
//     rc = mma.make_fragment_C(gc)                 slots
//     for t in range(tiles):
//         gemm(MMA, rc, ra, rb)                    reads the slots, then writes them
//
// If a read dominates each write to a slot, then nothing is written before its first execution. Products that add to
// the slot do not count: what they add to is unwritten, too. So a report is never wrong. What is written on some paths
// only is not reported.
//
// A slot is a vector. An element is written by a load, a shuffle that puts the element in, and a store; it is read by a
// load and a shuffle that takes it out (dialect/Registers.cpp). So writes and reads have lanes.
#include "compiler/analysis/UnwrittenRegisters.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"

namespace fly::analysis {

namespace {

int64_t lanesOf(mlir::Value slot) {
  return llvm::cast<mlir::VectorType>(llvm::cast<ir::SlotType>(slot.getType()).getValueType()).getNumElements();
}

/// Whether a value of a slot only goes back to it, in parts.
bool onlyReturns(mlir::Value value, mlir::Value slot) {
  return llvm::all_of(value.getUsers(), [&](mlir::Operation *user) {
    if (auto store = llvm::dyn_cast<ir::SlotStoreOp>(user))
      return store.getSlot() == slot;
    return llvm::isa<mlir::vector::ShuffleOp, mlir::vector::BitCastOp>(user) && onlyReturns(user->getResult(0), slot);
  });
}

/// The lanes of its slot that a load reads; those that it only puts back do not count.
llvm::SmallVector<int64_t> lanesRead(ir::SlotLoadOp load) {
  llvm::SmallVector<int64_t> lanes;
  if (load.getKeeps())
    return lanes;
  for (mlir::Operation *user : load.getResult().getUsers()) {
    if (llvm::isa<ir::SlotStoreOp>(user) || user->getNumResults() != 1 ||
        !llvm::isa<mlir::vector::ShuffleOp, mlir::vector::BitCastOp>(user))
      return llvm::to_vector(llvm::seq(lanesOf(load.getSlot())));
    if (onlyReturns(user->getResult(0), load.getSlot()))
      continue;
    auto taken = llvm::dyn_cast<mlir::vector::ShuffleOp>(user);
    if (!taken || taken.getV1() != taken.getV2())
      return llvm::to_vector(llvm::seq(lanesOf(load.getSlot())));
    llvm::append_range(lanes, taken.getMask());
  }
  return lanes;
}

/// The lanes that a store changes: all, or those that a shuffle puts into what the slot held.
llvm::SmallVector<int64_t> lanesWritten(ir::SlotStoreOp store) {
  const int64_t all = lanesOf(store.getSlot());
  auto put = store.getValue().getDefiningOp<mlir::vector::ShuffleOp>();
  auto held = put ? put.getV1().getDefiningOp<ir::SlotLoadOp>() : nullptr;
  if (!held || held.getSlot() != store.getSlot() || put.getV1() == put.getV2())
    return llvm::to_vector(llvm::seq(all));
  llvm::SmallVector<int64_t> lanes;
  for (int64_t lane = 0; lane < all; ++lane)
    if (put.getMask()[size_t(lane)] != lane)
      lanes.push_back(lane);
  return lanes;
}

class Registers {
public:
  explicit Registers(ir::KernelOp kernel) : dominance(kernel) {}

  /// Whether nothing can have been written to any of these lanes when `reader` is first executed.
  bool areUnwritten(mlir::Value slot, llvm::ArrayRef<int64_t> lanes, mlir::Operation *reader) {
    const Writes &writes = writesOf(slot);
    return dominance.isReachableFromEntry(reader->getBlock()) && llvm::all_of(lanes, [&](int64_t lane) {
             return llvm::all_of(writes[size_t(lane)],
                                 [&](mlir::Operation *write) { return dominance.dominates(reader, write); });
           });
  }
  bool areUnwritten(mlir::ValueRange slots, mlir::Operation *reader) {
    return llvm::all_of(
        slots, [&](mlir::Value slot) { return areUnwritten(slot, llvm::to_vector(llvm::seq(lanesOf(slot))), reader); });
  }

private:
  /// What may write to each lane, the first one in front.
  using Writes = std::vector<std::vector<mlir::Operation *>>;

  /// All but what is known to read the slot or to add to it.
  const Writes &writesOf(mlir::Value slot) {
    const auto [known, isNew] = all.try_emplace(slot);
    Writes &writes = known->second;
    if (!isNew)
      return writes;
    writes.resize(size_t(lanesOf(slot)));
    const auto add = [&](mlir::Operation *write, llvm::ArrayRef<int64_t> lanes) {
      for (int64_t lane : lanes)
        writes[size_t(lane)].push_back(write);
    };
    const auto whole = llvm::to_vector(llvm::seq(lanesOf(slot)));
    for (mlir::OpOperand &use : slot.getUses()) {
      if (llvm::isa<ir::SlotLoadOp>(use.getOwner()))
        continue;
      if (auto store = llvm::dyn_cast<ir::SlotStoreOp>(use.getOwner())) {
        add(store, lanesWritten(store));
        continue;
      }
      auto fragment = llvm::dyn_cast<ir::FragmentOp>(use.getOwner());
      if (!fragment) {
        add(use.getOwner(), whole);
        continue;
      }
      for (mlir::OpOperand &view : fragment.getResult().getUses()) {
        auto product = llvm::dyn_cast<ir::MmaOp>(view.getOwner());
        const bool onlyUses = product && (product.getD() != view.get() || product.getD() == product.getC());
        const bool onlyReads = llvm::isa<ir::CopyOp>(view.getOwner()) && view.getOperandNumber() == 0;
        if (!onlyUses && !onlyReads)
          add(view.getOwner(), whole);
      }
    }
    for (auto &each : writes) // uses are listed from the last one on
      std::reverse(each.begin(), each.end());
    return writes;
  }

  mlir::DominanceInfo dominance;
  llvm::DenseMap<mlir::Value, Writes> all;
};

} // namespace

void checkUnwrittenRegisters(Context &context) {
  Registers registers(context.kernel);
  llvm::DenseSet<mlir::Value> reported; // slots
  const auto warn = [&](mlir::Operation *reader) {
    context.reporter.report(context.rangeOf(reader), diag::unwritten_read{})
        .help("write it first, for example with `.fill(0)`");
  };
  const auto isUnwritten = [&](mlir::Value view, mlir::Operation *reader) {
    auto fragment = view.getDefiningOp<ir::FragmentOp>();
    if (!fragment || reported.contains(fragment.getSlots().front()) ||
        !registers.areUnwritten(fragment.getSlots(), reader))
      return false;
    reported.insert(fragment.getSlots().begin(), fragment.getSlots().end());
    return true;
  };
  context.kernel.walk([&](mlir::Operation *op) {
    if (auto load = llvm::dyn_cast<ir::SlotLoadOp>(op)) {
      if (!llvm::isa<mlir::VectorType>(llvm::cast<ir::SlotType>(load.getSlot().getType()).getValueType()))
        return; // a variable
      const auto lanes = lanesRead(load);
      if (!lanes.empty() && !reported.contains(load.getSlot()) && registers.areUnwritten(load.getSlot(), lanes, op)) {
        reported.insert(load.getSlot());
        warn(op);
      }
      return;
    }
    if (llvm::isa<ir::CopyOp>(op)) {
      if (isUnwritten(op->getOperand(0), op))
        warn(op);
      return;
    }
    auto product = llvm::dyn_cast<ir::MmaOp>(op);
    if (!product)
      return;
    if (isUnwritten(product.getC(), op))
      context.reporter.report(context.rangeOf(op), diag::unwritten_sum{})
          .help("begin with `.fill(0)` of the fragment, or give what to add: `gemm(mma, d, a, b, c)`");
    if (isUnwritten(product.getA(), op) || isUnwritten(product.getB(), op))
      warn(op);
  });
}

} // namespace fly::analysis
