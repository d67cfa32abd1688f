// The table of `fly.wait`. Source of names: llvm/include/llvm/IR/IntrinsicsAMDGPU.td of LLVM 22.
#include "compiler/dialect/WaitCounters.h"

namespace fly::ir {

static constexpr WaitCounterInfo counterRows[] = {
    {WaitCounter::Vm, target::Counter::Vm, nullptr},
    {WaitCounter::Lgkm, target::Counter::Lgkm, nullptr},
    {WaitCounter::Load, target::Counter::Load, "llvm.amdgcn.s.wait.loadcnt"},
    {WaitCounter::Store, target::Counter::Store, "llvm.amdgcn.s.wait.storecnt"},
    {WaitCounter::Ds, target::Counter::Ds, "llvm.amdgcn.s.wait.dscnt"},
    {WaitCounter::Km, target::Counter::Km, "llvm.amdgcn.s.wait.kmcnt"},
    {WaitCounter::Async, target::Counter::Async, "llvm.amdgcn.s.wait.asynccnt"},
    {WaitCounter::Tensor, target::Counter::Tensor, "llvm.amdgcn.s.wait.tensorcnt"},
};

int64_t WaitCounterInfo::largest() const {
  int64_t largest = 0;
  for (const target::Target &target : target::all())
    if (target::hasCounter(target, hardware))
      largest = std::max<int64_t>(largest, target::counterCapacity(hardware, target.generation));
  return largest;
}

llvm::ArrayRef<WaitCounterInfo> waitCounters() { return counterRows; }

} // namespace fly::ir
