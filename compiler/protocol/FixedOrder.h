// The ends of a region of `sched.fixed()`: operand bundles of a barrier of LLVM's scheduler.
//
//     call @llvm.amdgcn.sched.barrier(i32 0) [ "fly.fixed.begin"() ]
//     ...
//     call @llvm.amdgcn.sched.barrier(i32 0) [ "fly.fixed.end"() ]
#pragma once

#include "llvm/ADT/StringRef.h"

namespace fly::protocol {

inline constexpr llvm::StringLiteral fixedBegin = "fly.fixed.begin", fixedEnd = "fly.fixed.end";

} // namespace fly::protocol
