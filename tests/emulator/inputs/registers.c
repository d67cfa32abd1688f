// More live values than 256 registers hold: on gfx1250 the compiler reaches the others by s_set_vgpr_msb.
#include "device.h"
__attribute__((amdgpu_waves_per_eu(1, 1), amdgpu_flat_work_group_size(32, 32)))
KERNEL void many_registers(GLOBAL f32 *out, const GLOBAL f32 *in) {
  u32 t = __builtin_amdgcn_workitem_id_x();
  f32 v[400];
#pragma clang loop unroll(full)
  for (i32 k = 0; k < 400; ++k) v[k] = in[32 * k + t];
  __builtin_amdgcn_sched_barrier(0);
  f32 r = 0;
#pragma clang loop unroll(full)
  for (i32 k = 0; k < 400; ++k) r = r * 0.5f + v[k] * v[399 - k];
  out[t] = r;
}
