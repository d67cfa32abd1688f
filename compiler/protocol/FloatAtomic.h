// An atomic addition of floats that may be combined with those of other lanes: a memory model relaxation annotation,
//
//     atomicrmw fadd ptr addrspace(1) %p, float %x monotonic, !mmra !{!"fly-float-atomic", !"reassoc"}
#pragma once

#include "llvm/ADT/StringRef.h"

namespace fly::protocol {

inline constexpr llvm::StringLiteral floatAtomicTag = "fly-float-atomic", reassociates = "reassoc";

} // namespace fly::protocol
