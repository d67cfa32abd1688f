// What only a kernel has: LDS, barriers, tensors' algebra, vectors.
#include "compiler/sema/Builtins.h"

#include "compiler/dialect/FlyOps.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace fly::sema {

namespace {
/// Whether a value is known to differ between the threads of a workgroup: it is computed from their ids, also by
/// way of slots. What memory holds at one place is the same for all.
bool isDivergent(const Elaborator &e, mlir::Value value, llvm::SmallPtrSetImpl<void *> &seen) {
  if (!seen.insert(value.getAsOpaquePointer()).second)
    return false;
  auto any = [&](auto &&values) { return llvm::any_of(values, [&](mlir::Value v) { return isDivergent(e, v, seen); }); };
  auto *op = value.getDefiningOp();
  if (!op) { // an argument of a kernel is uniform, a loop's variable is what its bounds are
    auto loop = llvm::dyn_cast_or_null<mlir::scf::ForOp>(value.getParentBlock()->getParentOp());
    return loop && any(loop->getOperands());
  }
  if (auto id = llvm::dyn_cast<ir::ThreadIdOp>(op)) {
    auto *sizes = e.blockDim.sequence();
    auto size = sizes ? toInt64((*sizes)[unsigned(id.getDimension())]) : std::nullopt;
    return size != 1;
  }
  if (llvm::isa<ir::LaneIdOp>(op))
    return true;
  if (llvm::isa<ir::SlotLoadOp>(op)) {
    for (auto *user : op->getOperand(0).getUsers())
      if (auto store = llvm::dyn_cast<ir::SlotStoreOp>(user); store && any(store->getOperands().take_front(1)))
        return true;
    return false;
  }
  return any(op->getOperands());
}

/// A barrier under a condition of run time that only some threads meet waits for the others forever.
void checkReached(Elaborator &e, BoundCall &call) {
  for (auto *op = e.builder->getInsertionBlock()->getParentOp(); op; op = op->getParentOp()) {
    llvm::SmallPtrSet<void *, 16> seen;
    bool divergent = false;
    if (auto loop = llvm::dyn_cast<mlir::scf::WhileOp>(op)) {
      auto &test = loop.getBefore().front();
      divergent = !test.empty() && llvm::isa<mlir::scf::ConditionOp>(test.back()) && isDivergent(e, test.back().getOperand(0), seen);
    } else if (llvm::isa<mlir::scf::IfOp, mlir::scf::ForOp>(op))
      divergent = llvm::any_of(op->getOperands(), [&](mlir::Value v) { return isDivergent(e, v, seen); });
    if (divergent) {
      e.report(diag::divergent_barrier, call.range, {"barrier()"}).help("end the `if` before the barrier; a guard such as `if i >= n: return` makes it differ too");
      throw Failed{};
    }
  }
}

Value makeBarrier(Elaborator &e, BoundCall &call) {
  auto &b = e.ir(call.range, "barrier");
  checkReached(e, call);
  ir::BarrierOp::create(b, e.location(call.range));
  return Value();
}

Value makeSharedTensor(Elaborator &e, BoundCall &call) {
  return e.makeShared(e.requireType(call[0], call.ranges[0], "the element type"), call[1], call.range);
}

Value divide(Elaborator &e, BoundCall &call) {
  auto *tensor = call[0].as<TensorValue>();
  if (!tensor)
    e.fail(diag::wrong_argument_type, call.ranges[0], {"zipped_divide", "a tensor", "tensor", describe(call[0])});
  return e.zippedDivide(*tensor, call[1], call.range);
}

Value makeVector(Elaborator &e, BoundCall &call) {
  Type element = e.requireType(call[0], call.ranges[0], "the element type");
  int64_t lanes = e.requireInt(call[1], call.ranges[1], "the count");
  if (element.isVector() || lanes < 1 || lanes > 256)
    e.fail(diag::wrong_value, call.range, {"the count of `vector`", "from 1 to 256, of a scalar type", std::to_string(lanes)});
  Type type = Type::vector(element.number, uint32_t(lanes));
  return Value(e.toMachine(call.given[2] ? call[2] : Value(int64_t(0)), type, call.ranges[2]));
}

const Builtin table[] = {
    {"barrier", "", "waits until every thread of the workgroup is here; earlier writes are then seen by all", makeBarrier},
    {"shared", "type, shape", "an array in LDS, row-major, one for the workgroup; its contents are unspecified at first", makeSharedTensor},
    {"zipped_divide", "tensor, tiler", "((tile...), (rest...)): the tensor in tiles; an extent that the tile does not divide rounds up", divide},
    {"vector", "type, count, fill=", "a vector with all elements `fill`", makeVector},
};
} // namespace

llvm::ArrayRef<Builtin> deviceBuiltins() { return table; }

} // namespace fly::sema
