// Waits for copies to LDS that LLVM leaves out (gfx942, gfx950).
//
// `buffer_load ... lds` and `global_load_lds` write LDS when their data arrives, and count in vmcnt. Before an access of
// LDS that may concern a copy's bytes, LLVM's SIInsertWaitcnts waits for it. It does so by kinds of copies, of one alias
// scope each, and has two faults.
//
//     global_load_lds  0x200          one array, and so one kind: LLVM compares later accesses with the kind's first
//     global_load_lds  0x300          copy alone, and is sure that this read is not of its bytes
//     ds_read  0x300                  s_waitcnt vmcnt(0) is missing
//
//     loop:                           where paths join, LLVM knows the kinds of the path alone that it came on first;
//       ds_read                       so s_waitcnt vmcnt(0) is missing in every turn but the first
//       global_load_lds
//       s_cbranch loop
//
// So each access is compared with each copy that may be under way, on all paths, by the same alias analysis. What is
// missing is added to what LLVM has inserted. An access that may only concern copies for which the kernel itself waits
// says so (ir/TrustedWaits.h), and gets nothing.
#pragma once

namespace fly::codegen {

struct BackendPass;

/// After LLVM's own waits, which it needs to see.
BackendPass copyWaitsPass();

} // namespace fly::codegen
