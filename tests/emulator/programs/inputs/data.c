// Programs over data: sorting, scanning, compaction, histogram, sparse products, string search.
#include "tests/emulator/inputs/device.h"

// Bitonic sort of 512 keys a workgroup of 256, in LDS.
KERNEL void sort_block(GLOBAL u32 *keys) {
  static SHARED UNINITIALISED u32 tile[512];
  u32 t = __builtin_amdgcn_workitem_id_x(), base = __builtin_amdgcn_workgroup_id_x() * 512;
  tile[t] = keys[base + t];
  tile[t + 256] = keys[base + t + 256];
  for (u32 size = 2; size <= 512; size *= 2)
    for (u32 stride = size / 2; stride > 0; stride /= 2) {
      barrier();
      u32 at = 2 * t - (t & (stride - 1));
      u32 a = tile[at], b = tile[at + stride];
      int up = (at & size) == 0;
      if ((a > b) == up) { tile[at] = b; tile[at + stride] = a; }
    }
  barrier();
  keys[base + t] = tile[t];
  keys[base + t + 256] = tile[t + 256];
}

// One pass of a least significant digit radix sort, 4 bits, one workgroup of 256: counts, scan, scatter.
KERNEL void radix_pass(GLOBAL u32 *to, const GLOBAL u32 *from, u32 n, u32 shift) {
  static SHARED UNINITIALISED u32 count[16 * 256];
  static SHARED UNINITIALISED u32 start[16];
  u32 t = __builtin_amdgcn_workitem_id_x(), chunk = (n + 255) / 256, begin = t * chunk;
  u32 end = begin + chunk < n ? begin + chunk : n;
  for (u32 d = 0; d < 16; ++d) count[d * 256 + t] = 0;
  for (u32 k = begin; k < end; ++k) ++count[(from[k] >> shift & 15) * 256 + t];
  barrier();
  if (t < 16) {
    u32 sum = 0;
    for (u32 k = 0; k < 256; ++k) { u32 c = count[t * 256 + k]; count[t * 256 + k] = sum; sum += c; }
    start[t] = sum;
  }
  barrier();
  if (t == 0) {
    u32 sum = 0;
    for (u32 d = 0; d < 16; ++d) { u32 c = start[d]; start[d] = sum; sum += c; }
  }
  barrier();
  for (u32 k = begin; k < end; ++k) {
    u32 d = from[k] >> shift & 15;
    to[start[d] + count[d * 256 + t]++] = from[k];
  }
}

// Inclusive scan over any length by decoupled look-back: each workgroup waits for its predecessor's total.
KERNEL void scan(GLOBAL u32 *out, const GLOBAL u32 *in, u32 n, GLOBAL u32 *ready, GLOBAL u32 *totals) {
  static SHARED UNINITIALISED u32 tile[256];
  static SHARED UNINITIALISED u32 before;
  u32 t = __builtin_amdgcn_workitem_id_x(), g = __builtin_amdgcn_workgroup_id_x(), i = g * 256 + t;
  tile[t] = i < n ? in[i] : 0;
  for (u32 step = 1; step < 256; step *= 2) {
    barrier();
    u32 add = t >= step ? tile[t - step] : 0;
    barrier();
    tile[t] += add;
  }
  barrier();
  if (t == 255) {
    u32 sum = 0;
    if (g > 0) {
      while (__atomic_load_n(&ready[g - 1], __ATOMIC_ACQUIRE) == 0) __builtin_amdgcn_s_sleep(1);
      sum = __atomic_load_n(&totals[g - 1], __ATOMIC_RELAXED);
    }
    __atomic_store_n(&totals[g], sum + tile[255], __ATOMIC_RELAXED);
    __atomic_store_n(&ready[g], 1u, __ATOMIC_RELEASE);
    before = sum;
  }
  barrier();
  if (i < n) out[i] = before + tile[t];
}

// All workgroups meet: the sum of what each wrote, seen by each.
KERNEL void grid_barrier(GLOBAL u32 *arrived, GLOBAL u32 *values, GLOBAL u32 *out) {
  u32 g = __builtin_amdgcn_workgroup_id_x(), groups = grid_dim(0), t = __builtin_amdgcn_workitem_id_x();
  if (t == 0) {
    __atomic_store_n(&values[g], g * g + 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(arrived, 1u, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < groups) {}
    u32 sum = 0;
    for (u32 k = 0; k < groups; ++k) sum += __atomic_load_n(&values[k], __ATOMIC_RELAXED);
    out[g] = sum;
  }
}

// Keeps what is odd, in order within a wave, waves in any order: ballot, prefix count, one atomic a wave.
KERNEL void compact(GLOBAL u32 *out, GLOBAL u32 *count, const GLOBAL u32 *in, u32 n) {
  u32 i = global_id();
  u32 v = i < n ? in[i] : 0;
  u64 mask = __builtin_amdgcn_ballot_w64(v & 1);
  u32 rank = __builtin_amdgcn_mbcnt_hi((u32)(mask >> 32), __builtin_amdgcn_mbcnt_lo((u32)mask, 0));
  u32 base = 0;
  if (__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)) == 0)
    base = __atomic_fetch_add(count, (u32)__builtin_popcountl(mask), __ATOMIC_RELAXED);
  base = __builtin_amdgcn_readfirstlane(base);
  if (v & 1) out[base + rank] = v;
}

KERNEL void histogram(GLOBAL u32 *bins, const GLOBAL u8 *in, u32 n) {
  static SHARED UNINITIALISED u32 local[256];
  u32 t = __builtin_amdgcn_workitem_id_x();
  local[t] = 0;
  barrier();
  for (u32 i = global_id(); i < n; i += grid_dim(0) * block_dim(0)) __atomic_fetch_add(&local[in[i]], 1u, __ATOMIC_RELAXED);
  barrier();
  __atomic_fetch_add(&bins[t], local[t], __ATOMIC_RELAXED);
}

// Sparse matrix times vector, compressed rows: one work-item a row, double sums.
KERNEL void spmv(GLOBAL f64 *y, const GLOBAL u32 *rows, const GLOBAL u32 *columns, const GLOBAL f32 *values, const GLOBAL f64 *x, u32 n) {
  u32 r = global_id();
  if (r >= n) return;
  f64 sum = 0;
  for (u32 k = rows[r]; k < rows[r + 1]; ++k) sum += (f64)values[k] * x[columns[k]];
  y[r] = sum;
}

// Occurrences of a pattern, bytes compared one by one with an early end.
KERNEL void search(GLOBAL u32 *found, GLOBAL i32 *first, const GLOBAL u8 *text, u32 n, const GLOBAL u8 *pattern, u32 m) {
  u32 i = global_id();
  if (i + m > n) return;
  u32 k = 0;
  while (k < m && text[i + k] == pattern[k]) ++k;
  if (k < m) return;
  __atomic_fetch_add(found, 1u, __ATOMIC_RELAXED);
  __atomic_fetch_min(first, (i32)i, __ATOMIC_RELAXED);
}
