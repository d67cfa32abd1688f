// What the hardware's indices can be: the kernel's known block bounds a thread's index and the workgroup's size, its
// known cluster a workgroup's place in that.
#include "compiler/dialect/FlyOps.h"

using namespace mlir;
namespace fly::ir {

using llvm::APInt;

static ConstantIntRanges upTo(int64_t least, int64_t most) {
  return ConstantIntRanges::fromSigned(APInt(32, uint64_t(least)), APInt(32, uint64_t(most)));
}

/// The most threads that a workgroup has along a dimension.
static int64_t blockSize(Operation *op, Dimension dimension) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (kernel && kernel.getKnownBlock())
    return (*kernel.getKnownBlock())[static_cast<unsigned>(dimension)];
  return kernel ? int64_t(kernel.getMaxBlockThreads().value_or(maximumWorkgroup)) : maximumWorkgroup;
}

void ThreadIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  set(getResult(), upTo(0, blockSize(*this, getDimension()) - 1));
}
void BlockDimOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  set(getResult(), upTo(1, blockSize(*this, getDimension())));
}
void BlockIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  set(getResult(), upTo(0, int64_t(INT32_MAX) - 1));
}
void GridDimOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  set(getResult(), upTo(1, INT32_MAX));
}
void ClusterIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  set(getResult(), upTo(0, int64_t(INT32_MAX) - 1));
}
void ClusterBlockIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  std::optional<ArrayRef<int32_t>> cluster = kernel ? kernel.getKnownCluster() : std::nullopt;
  set(getResult(), upTo(0, (cluster ? (*cluster)[static_cast<unsigned>(getDimension())] : maximumCluster) - 1));
}
void ClusterRankOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  std::optional<ArrayRef<int32_t>> cluster = kernel ? kernel.getKnownCluster() : std::nullopt;
  set(getResult(), upTo(0, (cluster ? int64_t((*cluster)[0]) * (*cluster)[1] * (*cluster)[2] : maximumCluster) - 1));
}
/// A wave has at most 64 lanes.
void LaneIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) { set(getResult(), upTo(0, 63)); }
/// The linear threads of a workgroup, in waves.
void WaveIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  int64_t threads = 1;
  auto kernel = (*this)->getParentOfType<KernelOp>();
  std::optional<ArrayRef<int32_t>> block = kernel ? kernel.getKnownBlock() : std::nullopt;
  if (block)
    for (int32_t extent : *block)
      threads *= extent;
  else
    threads = kernel ? int64_t(kernel.getMaxBlockThreads().value_or(maximumWorkgroup)) : maximumWorkgroup;
  set(getResult(), upTo(0, (threads - 1) / int64_t(getWaveSize())));
}

} // namespace fly::ir
