#include "amdgcn.h"

KERNEL(256) histogram(const GLOBAL u8 *restrict x, GLOBAL u32 *restrict counts, int n, int blocks) {
  static SHARED u32 local[256];
  local[thread_id()] = 0;
  barrier();
  ROLLED
  for (int i = block_id() * 256 + thread_id(); i < n; i += blocks * 256)
    __scoped_atomic_fetch_add(&local[x[i]], 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  barrier();
  __scoped_atomic_fetch_add(&counts[thread_id()], local[thread_id()], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
