#include "amdgcn.h"

KERNEL(64)
search(const GLOBAL int *restrict x, const GLOBAL int *restrict keys, GLOBAL int *restrict at, int m, int n) {
  int i = block_id() * 64 + thread_id();
  if (i >= n)
    return;
  int key = keys[i], low = 0, high = m;
  ROLLED
  while (low < high) {
    int middle = low + ((high - low) >> 1);
    if (x[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  at[i] = low;
}
