// Where the author has waited for copies past the registers, the backend does not wait again.
//
// On gfx9 `buffer_load ... lds` and `global_load_lds` write LDS when they get there. The backend makes every access to LDS
// that may meet such a write wait for it, all copies under way included: of two stages in one tensor it cannot tell that the
// one which is read has arrived (`s_waitcnt vmcnt(4)`, a barrier) while the other is on its way. The wait for nothing more
// under way that it adds, `vmcnt(0)`, makes a pipeline of any depth one of depth one.
#pragma once

namespace llvm {
class Module;
}

namespace fly::codegen {

/// Tells the backend of accesses to LDS that no copy is meant for: those between which and every copy, before and after,
/// stands a wait or a barrier. The others keep the backend's own waits.
void trustWaits(llvm::Module &module);

} // namespace fly::codegen
