#include "amdgcn.h"

KERNEL(256) scan(const GLOBAL int *restrict x, GLOBAL int *restrict y, int n) {
  static SHARED int part[256];
  int t = thread_id(), i = block_id() * 256 + t, sum = 0;
  if (i < n)
    sum = x[i];
  part[t] = sum;
  ROLLED
  for (int k = 0; k < 8; ++k) {
    int reach = 1 << k;
    barrier();
    if (t >= reach)
      sum += part[t - reach];
    barrier();
    part[t] = sum;
  }
  if (i < n)
    y[i] = sum;
}
