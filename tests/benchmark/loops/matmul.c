#include "amdgcn.h"

#pragma clang fp contract(fast)
KERNEL(64)
matmul(const GLOBAL float *restrict a, const GLOBAL float *restrict b, GLOBAL float *restrict c, int m, int n, int k) {
  int row = block_id_y(), col = block_id() * 64 + thread_id();
  if (col >= n)
    return;
  float sum = 0;
  ROLLED
  for (int i = 0; i < k; ++i)
    sum = a[row * k + i] * b[i * n + col] + sum;
  c[row * n + col] = sum;
}
