/* Integers of all widths, floats, halves, doubles, conversions, bit operations. */
#include "device.h"
KERNEL void integers(GLOBAL int *a, GLOBAL u64 *b, GLOBAL short *c, GLOBAL unsigned char *d, int n, u64 m) {
  u32 i = global_id();
  if (i >= n) return;
  int x = a[i];
  u64 y = b[i];
  a[i] = x * n + (x << 3) - (x >> n) + x / 7 + x % n + (x > n ? x & 0xff00ff : x | 0x12345678) + __builtin_popcount(x) +
         __builtin_clz(x | 1) + __builtin_ctz(x | 256) + (x ^ 0x7fffffff);
  b[i] = y * m + (y >> 7) + (y << (x & 63)) + (y ^ 0x123456789abcdef0ul) - m / 3 + ((long)y >> n);
  c[i] = c[i] * 3 + (short)x;
  d[i] = d[i] + (unsigned char)(x >> 8);
}
KERNEL void floats(GLOBAL float *a, GLOBAL double *b, GLOBAL f16 *c, GLOBAL f16x2 *d, GLOBAL f32x2 *e, float s, double t) {
  u32 i = global_id();
  float x = a[i];
  double y = b[i];
  f16 z = c[i];
  f16x2 w = d[i];
  a[i] = __builtin_fmaf(-x, s, 1.0f) + __builtin_fabsf(x) * 2.0f + __builtin_sqrtf(x) + x / s + __builtin_floorf(x) +
         __builtin_amdgcn_rcpf(x) + __builtin_amdgcn_fmed3f(x, 0.0f, 1.0f) + __builtin_fminf(x, s) + (float)(int)x + 3.25f;
  b[i] = y * t + 1.0 / y + 3.14159 + 4.0 + __builtin_sqrt(y) + (double)x;
  c[i] = z * (f16)2.5f + (f16)1.0f + (f16)x - z * z;
  d[i] = w * w + (f16x2){1.0f, 2.0f} - w.yx;
  e[i] = e[i] * (f32x2){s, s} + (f32x2){1.0f, 1.0f};
}
KERNEL void transcendentals(GLOBAL float *a) {
  u32 i = global_id();
  float x = a[i];
  a[i] = __builtin_amdgcn_exp2f(x) + __builtin_amdgcn_logf(x) + __builtin_amdgcn_sinf(x) + __builtin_amdgcn_cosf(x) +
         __builtin_amdgcn_rsqf(x) + __builtin_amdgcn_fractf(x) + __builtin_amdgcn_ldexpf(x, (int)x) +
         (__builtin_amdgcn_classf(x, 0x204) ? 1.0f : 0.5f);
}
