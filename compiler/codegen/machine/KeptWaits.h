// Waits of releases and barriers that LLVM would drop.
//
// LLVM's memory legalizer puts waits in front of barriers and of stores that release, and marks them as `soft`: the pass
// that inserts waits drops those for which nothing is under way. Twice it drops too much.
//
//     loop:
//       s_waitcnt_soft lgkmcnt(0)      nothing is under way when the pass first comes here, so it goes, and it does
//       s_barrier                      not come back when the loop's end turns out to leave an access under way
//       ...
//       ds_read_b32 ...                or a store
//       s_cbranch loop
//
//     buffer_wbl2 sc0 sc1              LLVM does not count it among what is under way
//     s_waitcnt_soft vmcnt(0)          so this goes if the wave itself has no store under way
//     global_store_dword flag          and the flag may be seen before what other waves have stored
//
// These waits become ordinary ones. A load is as much of it as a store: behind the barrier other waves may overwrite
// what it reads, and that its result is waited for where it is used is too late.
#pragma once

namespace fly::codegen {

struct BackendPass;

BackendPass keptWaitsPass();

} // namespace fly::codegen
