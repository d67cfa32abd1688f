/* Matrix instructions of each architecture. */
#include "device.h"
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef float f32x8 __attribute__((ext_vector_type(8)));
typedef int i32x8 __attribute__((ext_vector_type(8)));
typedef f16 f16x16 __attribute__((ext_vector_type(16)));
#if defined(__gfx942__) || defined(__gfx950__)
KERNEL void mfma(GLOBAL f16x4 *a, GLOBAL f16x4 *b, GLOBAL f32x16 *c, GLOBAL f32x4 *d, GLOBAL double *e) {
  u32 t = thread_id();
  c[t] = __builtin_amdgcn_mfma_f32_32x32x8f16(a[t], b[t], c[t], 0, 0, 0);
  d[t] = __builtin_amdgcn_mfma_f32_16x16x16f16(a[t], b[t], d[t], 0, 0, 0);
  d[t + 9] = __builtin_amdgcn_mfma_f32_4x4x4f16(a[t], b[t], d[t + 9], 2, 1, 3);
  d[t + 64] = __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(((GLOBAL long *)a)[t], ((GLOBAL long *)b)[t], d[t + 64], 0, 0, 0);
}
#endif
#if defined(__gfx950__)
KERNEL void scaled(GLOBAL i32x8 *a, GLOBAL i32x8 *b, GLOBAL f32x4 *c, int s) {
  u32 t = thread_id();
  c[t] = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a[t], b[t], c[t], 1, 0, 1, s, 2, (int)t);
}
#endif
#if defined(__gfx1201__)
KERNEL void wmma(GLOBAL f16x8 *a, GLOBAL f16x8 *b, GLOBAL f32x8 *c) {
  u32 t = thread_id();
  c[t] = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a[t], b[t], c[t]);
}
#endif
#if defined(__gfx1250__)
KERNEL void wmma(GLOBAL f16x16 *a, GLOBAL f16x16 *b, GLOBAL f32x8 *c) {
  u32 t = thread_id();
  c[t] = __builtin_amdgcn_wmma_f32_16x16x32_f16(0, a[t], 0, b[t], (short)0, c[t], 0, 1);
}
#endif
