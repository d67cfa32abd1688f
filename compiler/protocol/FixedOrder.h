// The ends of a region of `sched.fixed()`: operand bundles of a barrier of LLVM's scheduler.
//
//     call @llvm.amdgcn.sched.barrier(i32 0) [ "fly.fixed.begin"() ]
//     ...
//     call @llvm.amdgcn.sched.barrier(i32 0) [ "fly.fixed.end"() ]
//
// In such a region, the same of what stands in the shadow of the matrix instruction before it.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace fly::protocol {

inline constexpr llvm::StringLiteral fixedBegin = "fly.fixed.begin", fixedEnd = "fly.fixed.end";
inline constexpr llvm::StringLiteral shadowBegin = "fly.shadow.begin", shadowEnd = "fly.shadow.end";

} // namespace fly::protocol
