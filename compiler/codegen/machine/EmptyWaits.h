// Waits for LDS that wait for nothing.
//
// `barrier(wait=False)` waits for the wave's own reads and writes of LDS. Where a wait by hand has done that before, as
// in a loop whose order is fixed, LLVM keeps both: it takes a wait that is in the program for wanted.
//
//     s_waitcnt lgkmcnt(0)
//     v_mfma ...                       nothing of LDS
//     s_waitcnt lgkmcnt(0)             removed
//     s_barrier
//
// Only waits right before a barrier are removed: other ones may be there for their place.
#pragma once

namespace fly::codegen {

struct BackendPass;

BackendPass emptyWaitsPass();

} // namespace fly::codegen
