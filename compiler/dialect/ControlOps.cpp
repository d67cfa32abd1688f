// Builders and verifiers of the operations about when instructions execute (FlyControlOps.td).
#include "compiler/dialect/WaitCounters.h"

#include <array>

using namespace mlir;
namespace fly::ir {

/// The attributes of `fly.wait`, in the order of the counters.
static std::array<IntegerAttr *, getMaxEnumValForWaitCounter() + 1> countsOf(WaitOp::Properties &counts) {
  return {&counts.vmcnt, &counts.lgkmcnt, &counts.loadcnt,  &counts.storecnt,
          &counts.dscnt, &counts.kmcnt,   &counts.asynccnt, &counts.tensorcnt};
}

void WaitOp::build(OpBuilder &builder, OperationState &state, ArrayRef<std::optional<int32_t>> counts) {
  auto attributes = countsOf(state.getOrAddProperties<Properties>());
  for (auto [attribute, count] : llvm::zip_equal(attributes, counts))
    if (count)
      *attribute = builder.getI32IntegerAttr(*count);
}

void WaitOp::build(OpBuilder &builder, OperationState &state, WaitCounter counter, int32_t count) {
  *countsOf(state.getOrAddProperties<Properties>())[static_cast<unsigned>(counter)] = builder.getI32IntegerAttr(count);
}

std::optional<int64_t> WaitOp::countOf(WaitCounter counter) {
  IntegerAttr count = *countsOf(getProperties())[static_cast<unsigned>(counter)];
  return count ? std::optional(count.getInt()) : std::nullopt;
}

LogicalResult WaitOp::verify() {
  bool ofWaitcnt = false, ofOthers = false;
  for (const WaitCounterInfo &row : waitCounters()) {
    std::optional<int64_t> count = countOf(row.counter);
    if (!count)
      continue;
    (row.intrinsic ? ofOthers : ofWaitcnt) = true;
    if (*count < 0 || *count > row.largest())
      return emitOpError() << "`" << stringifyWaitCounter(row.counter) << "` counts from 0 to " << row.largest()
                           << ", not " << *count;
  }
  if (!ofWaitcnt && !ofOthers)
    return emitOpError() << "names no counter";
  if (ofWaitcnt && ofOthers)
    return emitOpError() << "names counters of `s_waitcnt` and split ones; no target has both";
  return success();
}

bool isMark(Operation *op) { return isa<TogetherOp, TakePartOp, PartitionOp>(op); }

LogicalResult TakePartOp::verify() {
  if (bool(getThread()) == getNumber().has_value())
    return emitOpError() << "has either a thread or the number of one";
  return success();
}

} // namespace fly::ir
