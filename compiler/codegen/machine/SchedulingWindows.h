// Long straight code of large kernels is scheduled once.
//
// LLVM schedules before register allocation, for latency and pressure, and once more after it, where it sees the
// distances that hardware wants between instructions. The second time costs as much as the first: for each place it
// asks every instruction that could go there whether it would have to wait, hundreds of them in an unrolled loop of
// matrix instructions, and it follows `sched.group` again by a search through all of them. What it gains is local. So
// in functions of 2,500 instructions or more, it sees a window at a time where more than 64 follow each other without a
// barrier. The order of the groups, which the first scheduler has established, is kept by the windows:
//
//     v_mfma ...                           v_mfma ...
//     ...         16 instructions          ...
//     v_mfma ...                           SCHED_BARRIER 0
//     ...                                  v_mfma ...
//
// A window ends in front of a matrix instruction if there is one. An end that separates two instructions which want a
// distance (a write of M0 from the copy to LDS that reads it) would cost an s_nop.
#pragma once

namespace fly::codegen {

struct BackendPass;

/// Inserts the ends of the windows.
BackendPass schedulingWindowsPass();

} // namespace fly::codegen
