// Where the kernel already waits for copies that bypass registers, the backend does not wait again.
//
// On gfx9, `buffer_load ... lds` and `global_load_lds` write LDS when their data arrives. The backend makes every
// access to LDS that may alias such a write wait for all copies in flight: of two stages in one tensor, it cannot tell
// that the one being read has arrived (`s_waitcnt vmcnt(4)`, a barrier) while the other has not. The `vmcnt(0)` that it
// adds reduces a pipeline of any depth to depth one.
//
// Copies are intrinsics or exact instructions (ExactInstructions.h), and so are waits.
#pragma once

#include "compiler/codegen/BackendPass.h"

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
}

namespace fly::codegen {

/// Notes which regions of LDS each copy and access concerns (LdsRegions.h), before LLVM makes one object of all.
void noteLdsRegions(llvm::Module &module, unsigned waveSize);

/// After that, marks for the backend the accesses to LDS that no copy in flight concerns: those separated from every
/// copy, before and after, by a wait or a barrier. All other accesses keep the backend's waits.
BackendPass trustWaitsPass();

/// The function's metadata with the alias scopes of its copies: those of the memory operands of exact instructions.
constexpr llvm::StringLiteral scopesOfCopies = "fly.copies";

} // namespace fly::codegen
