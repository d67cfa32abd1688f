// Waits for the translation of addresses (XCNT) on gfx1250.
//
// A vector memory operation may begin anew after a page fault, and then reads its registers again. So a register that
// it reads is not overwritten before `s_wait_xcnt`. The hardware counts scalar and vector memory in one counter, and
// does not start one kind before the other is done. LLVM 22 (SIInsertWaitcnts) takes `s_wait_kmcnt 0` for a wait for
// all that is counted if scalar memory may be: where paths join of which one ends with scalar loads and another with
// vector memory, that is wrong for the other one:
//
//         s_load_b128 s[0:3], s[0:1], 0x0
//     loop:
//         s_wait_kmcnt 0
//         s_add_nc_u64 s[8:9], s[0:1], s[4:5]        needs s_wait_xcnt 0 in every trip but the first
//         ...
//         global_store_b128 v0, v[2:5], s[8:9]
//         s_cbranch_scc1 loop
//
// So of blocks that continue at such a join, those with scalar loads under way end with `s_wait_xcnt 0`. It waits for
// the translation of the loads' addresses, not for the loads.
#pragma once

namespace fly::codegen {

struct BackendPass;

/// Waits before such joins.
BackendPass addressWaitsPass();

} // namespace fly::codegen
