// The table of `fly.wait`. Source of names and widths: llvm/include/llvm/IR/IntrinsicsAMDGPU.td and AMDGPUBaseInfo.cpp
// (getVmcntBitMask and the like) of LLVM 22.
#include "compiler/dialect/WaitCounters.h"

namespace fly::ir {

static constexpr WaitCounterInfo counterRows[] = {
    {WaitCounter::Vm, 63, nullptr},
    {WaitCounter::Lgkm, 15, nullptr},
    {WaitCounter::Load, 63, "llvm.amdgcn.s.wait.loadcnt"},
    {WaitCounter::Store, 63, "llvm.amdgcn.s.wait.storecnt"},
    {WaitCounter::Ds, 63, "llvm.amdgcn.s.wait.dscnt"},
    {WaitCounter::Km, 31, "llvm.amdgcn.s.wait.kmcnt"},
    {WaitCounter::Async, 63, "llvm.amdgcn.s.wait.asynccnt"},
    {WaitCounter::Tensor, 63, "llvm.amdgcn.s.wait.tensorcnt"},
};

llvm::ArrayRef<WaitCounterInfo> waitCounters() { return counterRows; }

} // namespace fly::ir
