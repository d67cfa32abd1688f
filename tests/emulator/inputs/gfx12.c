// Kernels that need gfx12's split barriers.
#include "device.h"
KERNEL void wait_without_signal(GLOBAL i32 *out) {
  __builtin_amdgcn_s_barrier_wait(-1);
  out[0] = 1;
}
KERNEL void signal_then_wait(GLOBAL i32 *out) {
  static UNINITIALISED SHARED i32 value[64];
  u32 t = __builtin_amdgcn_workitem_id_x();
  value[t] = (i32)t * 3;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier_signal(-1);
  i32 k = (i32)t + 1;
  __builtin_amdgcn_s_barrier_wait(-1);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[t] = value[63 - t] + k;
}
