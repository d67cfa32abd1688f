#include "amdgcn.h"

#pragma clang fp contract(fast)
KERNEL(64)
horner(const GLOBAL double *restrict x, const GLOBAL double *restrict c, GLOBAL double *restrict y, int n, int m) {
  int i = block_id() * 64 + thread_id();
  if (i >= n)
    return;
  double at = x[i], value = 0;
  ROLLED
  for (int k = 0; k < m; ++k)
    value = value * at + c[k];
  y[i] = value;
}
