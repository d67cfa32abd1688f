#include "amdgcn.h"

#pragma clang fp contract(fast)
KERNEL(256) saxpy(float a, const GLOBAL float *restrict x, GLOBAL float *restrict y, int n, int blocks) {
  ROLLED
  for (int i = block_id() * 256 + thread_id(); i < n; i += blocks * 256)
    y[i] = a * x[i] + y[i];
}
