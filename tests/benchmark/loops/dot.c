#include "amdgcn.h"

#pragma clang fp contract(fast)
KERNEL(64) dot(const GLOBAL float *restrict x, const GLOBAL float *restrict y, GLOBAL float *restrict z, int m, int n) {
  int row = block_id() * 64 + thread_id();
  if (row >= m)
    return;
  x += row * n;
  y += row * n;
  float4 sum = 0;
  ROLLED
  for (int k = 0; k < n; k += 4)
    sum = *(const GLOBAL float4 *)(x + k) * *(const GLOBAL float4 *)(y + k) + sum;
  z[row] = (sum.x + sum.y) + (sum.z + sum.w);
}
