/* Loops, branches, divergence, wave operations. */
#include "device.h"
KERNEL void loops(GLOBAL float *a, GLOBAL float *b, int n, int m) {
  u32 i = global_id();
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    if (a[k] < 0) continue;
    sum += a[k * m + i] * b[k];
    if (sum > 1000.0f) break;
  }
  b[i] = sum;
}
KERNEL void divergent(GLOBAL int *a, int n) {
  u32 i = thread_id();
  int x = a[i];
  while (x > 1) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    if (x == n) { a[i] = -1; return; }
  }
  switch (a[i + 1]) {
  case 0: a[i] = 4; break;
  case 1: a[i] = x; break;
  case 7: a[i] = n; break;
  default: a[i] = i;
  }
}
KERNEL void wave(GLOBAL int *a, GLOBAL u64 *b) {
  u32 t = thread_id();
  int x = a[t];
  int sum = x + __builtin_amdgcn_update_dpp(0, x, 0x111, 0xf, 0xf, 1);
  sum += __builtin_amdgcn_mov_dpp(sum, 0x1b, 0xf, 0xf, 0);
  sum += __builtin_amdgcn_ds_bpermute(t * 4 + 4, sum) + __builtin_amdgcn_ds_swizzle(sum, 0x401f);
  sum += __builtin_amdgcn_readfirstlane(sum) + __builtin_amdgcn_readlane(sum, 3);
  a[t] = sum + __builtin_amdgcn_mbcnt_lo(~0u, 0);
  b[t] = __builtin_readcyclecounter();
}
