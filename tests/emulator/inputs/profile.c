// Kernels whose profile can be told in advance. Each wave of the tests is full.
#include "device.h"

KERNEL void copy(GLOBAL u32 *out, const GLOBAL u32 *in) {
  u32 i = global_id();
  out[i] = in[i];
}
KERNEL void strided(GLOBAL u32 *out, const GLOBAL u32 *in) { // a line of 128 bytes each
  u32 i = global_id();
  out[i] = in[32 * i];
}
KERNEL void broadcast(GLOBAL u32 *out, const GLOBAL u32 *in) {
  u32 i = global_id();
  out[i] = in[__builtin_amdgcn_workitem_id_x() >> 6];
}
KERNEL void conflict(GLOBAL u32 *out, i32 stride) {
  static UNINITIALISED SHARED u32 tile[64 * 33];
  u32 t = __builtin_amdgcn_workitem_id_x();
  tile[t * stride] = t;
  barrier();
  out[t] = tile[t * stride];
}
KERNEL void half_lanes(GLOBAL f32 *out, const GLOBAL f32 *in) {
  u32 i = global_id();
  f32 v = in[i];
  if (__builtin_amdgcn_workitem_id_x() & 1)
#pragma clang loop unroll(disable)
    for (i32 k = 0; k < 100; ++k) v = v * 1.5f + 0.25f;
  out[i] = v;
}
KERNEL void count(GLOBAL u32 *counter) { __scoped_atomic_fetch_add(counter + __builtin_amdgcn_workitem_id_x(), 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }

#if defined(__gfx942__) || defined(__gfx950__)
typedef f16 f16x4 __attribute__((ext_vector_type(4)));
typedef f32 f32x4 __attribute__((ext_vector_type(4)));
KERNEL void matrix(GLOBAL f32x4 *out, const GLOBAL f16x4 *in, i32 steps) {
  u32 t = __builtin_amdgcn_workitem_id_x();
  f32x4 sum = 0;
  for (i32 k = 0; k < steps; ++k) sum = __builtin_amdgcn_mfma_f32_16x16x16f16(in[t], in[t], sum, 0, 0, 0);
  out[t] = sum;
}
#endif
