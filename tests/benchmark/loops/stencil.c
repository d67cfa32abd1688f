#include "amdgcn.h"
enum { REACH = 3 };

#pragma clang fp contract(fast)
KERNEL(256)
stencil(const GLOBAL float *restrict x, const GLOBAL float *restrict w, GLOBAL float *restrict y, int n, int blocks) {
  ROLLED
  for (int i = block_id() * 256 + thread_id() + REACH; i < n - REACH; i += blocks * 256) {
    float sum = w[0] * x[i - REACH];
#pragma clang loop unroll(full)
    for (int j = 1; j < 2 * REACH + 1; ++j)
      sum = w[j] * x[i - REACH + j] + sum;
    y[i] = sum;
  }
}
