// Private: whether machine code has accumulators where PlaceAccumulators.h put them.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace llvm {
class Module;
}

namespace fly::target {
struct Target;
}

namespace fly::codegen {

/// Reads the machine code of kernels with a limit of AGPRs, which no instruction exceeds, and of kernels with placed
/// accumulators: AGPRs are written by matrix instructions whose D is a whole chain, by moves and by loads; nothing
/// names one outside of the chains. An error's text, or nothing.
std::string checkAccumulators(const llvm::Module &module, llvm::StringRef object, const target::Target &target);

} // namespace fly::codegen
