#include "amdgcn.h"

KERNEL(64)
hash(const GLOBAL u8 *restrict bytes, const GLOBAL long *restrict ends, GLOBAL u32 *restrict hashes, long total,
     int n) {
  int i = block_id() * 64 + thread_id();
  if (i >= n)
    return;
  u32 value = 2166136261u;
  ROLLED
  for (long at = ends[i]; at < ends[i + 1]; ++at)
    value = (value ^ bytes[at]) * 16777619u;
  hashes[i] = value;
}
