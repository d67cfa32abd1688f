#include "amdgcn.h"

KERNEL(64) bits(const GLOBAL u32 *restrict seeds, GLOBAL int *restrict counts, int n, int turns) {
  int i = block_id() * 64 + thread_id();
  if (i >= n)
    return;
  u32 x = seeds[i];
  int count = 0;
  ROLLED
  for (int turn = 0; turn < turns; ++turn) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    count += __builtin_popcount(x);
  }
  counts[i] = count;
}
