// Barriers in kernels that release memory beyond the workgroup.
//
// What a wave has stored before a barrier happens before what another wave of the workgroup releases after it, to other
// workgroups or devices. But a release (a fence, an atomic store of a flag) waits only for the stores of the wave that
// executes it, and on gfx9 (`barriersOrderMemory`) a barrier waits for no store to global memory: those of the other waves may
// still be under way when the flag is seen. For gfx10 and later LLVM's release at workgroup scope waits for stores
// since its pull requests 160501 and 161638, for this reason; gfx9's sequences were left as they are, and no document
// says whether the memory path of these machines makes them right. With the wait flyc's code is right either way.
// Kernels without such a release pay nothing.
//
// Releases inside of `extern` functions are not seen.
#include "compiler/dialect/CopyAttributes.h"
#include "compiler/dialect/WaitCounters.h"
#include "compiler/transforms/FlyToRocdl.h"

#include "compiler/target/Target.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace fly::ir {

static bool releasesBeyondWorkgroup(MemoryOrder order, MemoryScope scope) {
  return order != MemoryOrder::Relaxed && order != MemoryOrder::Acquire && scope != MemoryScope::Wave &&
         scope != MemoryScope::Workgroup;
}

static bool releasesBeyondWorkgroup(Operation *op) {
  if (auto fence = dyn_cast<FenceOp>(op))
    return releasesBeyondWorkgroup(fence.getOrder(), fence.getScope());
  if (auto store = dyn_cast<PtrStoreOp>(op))
    return store.getOrder() && store.getScope() && releasesBeyondWorkgroup(*store.getOrder(), *store.getScope());
  if (auto atomic = dyn_cast<AtomicOp>(op))
    return releasesBeyondWorkgroup(atomic.getOrder(), atomic.getScope());
  if (auto exchange = dyn_cast<CompareExchangeOp>(op))
    return releasesBeyondWorkgroup(exchange.getOrder(), exchange.getScope());
  if (auto exact = dyn_cast<ExactOp>(op))
    return exact.getAssembly().starts_with("buffer_wbl2");
  return false;
}

void waitForStoresBeforeBarriers(Operation *root, StringRef arch) {
  const target::Target *target = target::find(arch);
  if (!target || !target->generation.barriersOrderMemory)
    return;
  root->walk([](FunctionOpInterface function) {
    bool releases = false;
    SmallVector<BarrierOp> barriers;
    function.walk([&](Operation *op) {
      releases |= releasesBeyondWorkgroup(op);
      if (auto barrier = dyn_cast<BarrierOp>(op); barrier && !barrier->hasAttr(leavesCopiesAttr))
        barriers.push_back(barrier);
    });
    for (BarrierOp barrier : barriers)
      if (OpBuilder b(barrier); releases)
        WaitOp::create(b, barrier.getLoc(), WaitCounter::Vm, 0);
    return WalkResult::skip();
  });
}

} // namespace fly::ir
