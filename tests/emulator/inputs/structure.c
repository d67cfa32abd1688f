// Kernels about control flow, LDS, scratch, calls, wave operations and atomics.
#include "device.h"

KERNEL void block_sum(GLOBAL i32 *out, const GLOBAL i32 *in, i32 n) {
  static UNINITIALISED SHARED i32 partial[1024];
  u32 t = __builtin_amdgcn_workitem_id_x(), i = global_id(), size = block_dim(0);
  partial[t] = i < n ? in[i] : 0;
  barrier();
  for (u32 stride = size / 2; stride > 0; stride >>= 1) {
    if (t < stride) partial[t] += partial[t + stride];
    barrier();
  }
  if (t == 0) out[__builtin_amdgcn_workgroup_id_x()] = partial[0];
}

KERNEL void transpose(GLOBAL f32 *out, const GLOBAL f32 *in, i32 rows, i32 columns) {
  static UNINITIALISED SHARED f32 tile[16][17];
  u32 tx = __builtin_amdgcn_workitem_id_x(), ty = __builtin_amdgcn_workitem_id_y();
  u32 bx = __builtin_amdgcn_workgroup_id_x() * 16, by = __builtin_amdgcn_workgroup_id_y() * 16;
  if (bx + tx < columns && by + ty < rows) tile[ty][tx] = in[(by + ty) * columns + bx + tx];
  barrier();
  if (by + tx < rows && bx + ty < columns) out[(bx + ty) * rows + by + tx] = tile[tx][ty];
}

KERNEL void collatz(GLOBAL i32 *out, const GLOBAL u32 *in, i32 n) {
  u32 i = global_id();
  if (i >= n) return;
  u64 v = in[i] % 10000 + 1;
  i32 steps = 0;
  while (v != 1) {
    if (v & 1) v = 3 * v + 1;
    else v >>= 1;
    if (++steps > 300) break;
  }
  out[i] = steps;
}

KERNEL void ids(GLOBAL u32 *out) {
  u32 bx = block_dim(0), by = block_dim(1), bz = block_dim(2), gx = grid_dim(0), gy = grid_dim(1);
  u32 x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(), z = __builtin_amdgcn_workitem_id_z();
  u32 wx = __builtin_amdgcn_workgroup_id_x(), wy = __builtin_amdgcn_workgroup_id_y(), wz = __builtin_amdgcn_workgroup_id_z();
  u32 group = wx + gx * (wy + gy * wz), item = x + bx * (y + by * z);
  out[group * bx * by * bz + item] = x | y << 5 | z << 10 | wx << 15 | wy << 20 | wz << 25;
}

KERNEL void private_array(GLOBAL i32 *out, const GLOBAL i32 *in, i32 n) {
  u32 i = global_id();
  if (i >= n) return;
  i32 local[16];
  for (i32 k = 0; k < 16; ++k) local[k] = in[i] * (k + 1);
  for (i32 k = 0; k < 15; ++k)
    for (i32 j = 0; j < 15 - k; ++j)
      if (local[(u32)(j + in[i]) % 15] > local[(u32)(j + in[i]) % 15 + 1]) {
        i32 t = local[(u32)(j + in[i]) % 15];
        local[(u32)(j + in[i]) % 15] = local[(u32)(j + in[i]) % 15 + 1];
        local[(u32)(j + in[i]) % 15 + 1] = t;
      }
  i32 r = 0;
  for (i32 k = 0; k < 16; ++k) r = r * 31 + local[k];
  out[i] = r;
}

__attribute__((noinline)) i32 twist(i32 a, i32 depth) {
  i32 keep[4] = {a, a * 3, a ^ 5, depth};
  for (i32 k = 0; k < depth; ++k) keep[k & 3] += keep[(k + 1) & 3] * 7;
  return keep[0] ^ keep[1] ^ keep[2] ^ keep[3];
}
KERNEL void calls(GLOBAL i32 *out, const GLOBAL i32 *in, i32 n) {
  u32 i = global_id();
  if (i < n) out[i] = twist(in[i], 5) + twist(in[i] + 1, (i32)(i & 7));
}

KERNEL void branches(GLOBAL i32 *out, const GLOBAL i32 *in, i32 n) {
  u32 i = global_id();
  if (i >= n) return;
  i32 v = in[i], r = 0;
  switch ((u32)v % 9) {
  case 0: r = v + 1; break;
  case 1: r = v * 2; break;
  case 2: r = v ^ 77;
  case 3: r += 5; break;
  case 5: for (i32 k = 0; k < (i32)(i & 15); ++k) r += k * v; break;
  case 7: r = -v; break;
  default: r = 1000 + v; break;
  }
  out[i] = r;
}

typedef u32 u32x4 __attribute__((ext_vector_type(4)));
KERNEL void wide(GLOBAL u32x4 *out, const GLOBAL u32x4 *in, i32 n) {
  static UNINITIALISED SHARED u32x4 tile[256];
  u32 i = global_id(), t = __builtin_amdgcn_workitem_id_x();
  if (i < n) tile[t] = in[i];
  barrier();
  u32 o = t ^ 1;
  if (i < n && (i ^ 1) < n) out[i] = tile[o] + in[i];
}

KERNEL void lanes(GLOBAL u32 *out, const GLOBAL u32 *in) {
  u32 t = __builtin_amdgcn_workitem_id_x();
  u32 v = in[t];
  out[t] = __builtin_amdgcn_readfirstlane(v) + __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)) * 1000 +
           __builtin_amdgcn_ds_bpermute(((t + 5) & 31) * 4, v) * 3 + __builtin_amdgcn_readlane(v, 7);
}
KERNEL void dpp(GLOBAL u32 *out, const GLOBAL u32 *in) {
  u32 t = __builtin_amdgcn_workitem_id_x(), v = in[t];
  out[4 * t] = __builtin_amdgcn_update_dpp(11, v, 0x1b, 0xf, 0xf, 0);       // quad_perm:[3,2,1,0]
  out[4 * t + 1] = __builtin_amdgcn_update_dpp(12, v, 0x111, 0xf, 0xf, 0);  // row_shr:1
  out[4 * t + 2] = __builtin_amdgcn_update_dpp(13, v, 0x124, 0xf, 0xf, 0);  // row_ror:4
  out[4 * t + 3] = __builtin_amdgcn_update_dpp(0, v, 0x102, 0xf, 0xf, 1);   // row_shl:2, bound_ctrl
}

KERNEL void atomics(GLOBAL u32 *counter, GLOBAL u64 *wide, GLOBAL u32 *order, GLOBAL f32 *sum) {
  static UNINITIALISED SHARED u32 local;
  u32 t = __builtin_amdgcn_workitem_id_x();
  if (t == 0) local = 0;
  barrier();
  __scoped_atomic_fetch_add(&local, t, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  order[global_id()] = __scoped_atomic_fetch_add(counter, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_max(wide, (u64)t << 33, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_add(sum, 1.0f, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  u32 expected = 0xffffffff;
  __scoped_atomic_compare_exchange_n(counter + 1, &expected, t, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  barrier();
  if (t == 0) counter[2] = local;
}

KERNEL void approximations(GLOBAL f32 *out, const GLOBAL f32 *in, i32 n) {
  u32 i = global_id();
  if (i >= n) return;
  f32 v = in[i];
  out[4 * i] = __builtin_amdgcn_exp2f(v);
  out[4 * i + 1] = __builtin_amdgcn_logf(v);
  out[4 * i + 2] = __builtin_amdgcn_rcpf(v);
  out[4 * i + 3] = __builtin_amdgcn_rsqf(v);
}

typedef f16 f16x2 __attribute__((ext_vector_type(2)));
typedef f32 f32x2 __attribute__((ext_vector_type(2)));
typedef u16 u16x2 __attribute__((ext_vector_type(2)));
KERNEL void packed(GLOBAL f16x2 *h, GLOBAL f32x2 *s, GLOBAL u16x2 *u, i32 n) {
  u32 i = global_id();
  if (i >= n) return;
  f16x2 a = h[2 * i], b = h[2 * i + 1];
  h[2 * i] = a * b + a.yx;
  h[2 * i + 1] = -a + b.xx * (f16)0.5;
  f32x2 c = s[2 * i], d = s[2 * i + 1];
  s[2 * i] = c * d + c.yx;
  s[2 * i + 1] = c.xx * d + 3.25f;
  u16x2 e = u[2 * i], f = u[2 * i + 1];
  u[2 * i] = e * f + e.yx;
  u[2 * i + 1] = (e << (u16x2)(f & (u16)15)) + (f >> (u16)3);
}

KERNEL void bf16(GLOBAL __bf16 *out, const GLOBAL __bf16 *in, i32 n) {
  u32 i = global_id();
  if (i >= n) return;
  out[2 * i] = (__bf16)((f32)in[2 * i] + (f32)in[2 * i + 1]);
  out[2 * i + 1] = (__bf16)((f32)in[2 * i] * (f32)in[2 * i + 1]);
}

// Faults on purpose.
KERNEL void past_end(GLOBAL i32 *out, const GLOBAL i32 *in, i32 n) { u32 i = global_id(); if (i < n) out[i] = in[i + 1]; }
KERNEL void lds_past_end(GLOBAL i32 *out, i32 at) {
  static UNINITIALISED SHARED i32 small[32];
  small[at] = at;
  barrier();
  out[0] = small[0];
}
KERNEL void endless(GLOBAL i32 *out) { while (*(volatile GLOBAL i32 *)out == 0) {} }
KERNEL void trap(GLOBAL i32 *out) { if (out[0] == 7) __builtin_trap(); out[0] = 1; }
