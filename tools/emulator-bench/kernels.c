// The benchmark kernels: each is one loop that is typical for what bounds a kind of kernel.
#include "tests/emulator/inputs/device.h"

typedef f32 f32x4 __attribute__((ext_vector_type(4)));
typedef f32 f32x8 __attribute__((ext_vector_type(8)));
typedef f16 f16x4 __attribute__((ext_vector_type(4)));
typedef f16 f16x8 __attribute__((ext_vector_type(8)));
typedef f16 f16x16 __attribute__((ext_vector_type(16)));
typedef u32 u32x4 __attribute__((ext_vector_type(4)));

// VALU: multiply-adds and integer steps that depend on each other, nothing else.
KERNEL void valu(GLOBAL f32 *out, i32 steps) {
  f32 a = (f32)global_id(), b = 1.0f, c = 0.5f, d = 2.0f;
  u32 h = global_id();
  for (i32 k = 0; k < steps; ++k) {
#pragma clang loop unroll(full)
    for (int r = 0; r < 4; ++r) {
      a = __builtin_fmaf(a, 0.999f, b);
      b = __builtin_fmaf(b, 0.998f, c);
      c = __builtin_fmaf(c, 0.997f, d);
      d = d * 0.5f + a;
      h ^= h << 13;
      h ^= h >> 17;
      h += (u32)k;
    }
  }
  out[global_id()] = a + b + c + d + (f32)h;
}

// LDS: every lane writes 128 bits, reads its neighbour's.
KERNEL void lds(GLOBAL u32x4 *out, i32 steps) {
  static SHARED UNINITIALISED u32x4 tile[256];
  u32 t = __builtin_amdgcn_workitem_id_x();
  u32x4 v = {t, t + 1, t + 2, t + 3};
  for (i32 k = 0; k < steps; ++k) {
    tile[t] = v;
    barrier();
    v = tile[(t + 1) & 255] + (u32x4){1, 1, 1, 1};
    barrier();
  }
  out[global_id()] = v;
}

// Global memory: 128 bits a lane in, the same out.
KERNEL void copy(GLOBAL u32x4 *to, const GLOBAL u32x4 *from, i32 steps) {
  u32 lanes = grid_dim(0) * block_dim(0);
  for (i32 k = 0; k < steps; ++k)
    to[(u32)k * lanes + global_id()] = from[(u32)k * lanes + global_id()];
}

// What both kernels below share: a 16x16 tile of D = A * B in f16 with f32 sums. Each lane has a run of consecutive k,
// which is the instruction's own order up to a permutation that A and B share.
#if defined(__gfx1250__)
#define K_STEP 32
typedef f16x16 fragment;
typedef f32x8 accumulator;
#elif defined(__gfx1201__)
#define K_STEP 16
typedef f16x8 fragment;
typedef f32x8 accumulator;
#elif defined(__gfx950__)
#define K_STEP 32
typedef f16x8 fragment;
typedef f32x4 accumulator;
#else
#define K_STEP 16
typedef f16x4 fragment;
typedef f32x4 accumulator;
#endif
static inline u32 lane_row(u32 lane) { return lane & 15; }
static inline u32 lane_k(u32 lane) { return (lane >> 4) * (sizeof(fragment) / 2); }
#if defined(__gfx1201__) || defined(__gfx1250__)
static inline accumulator multiply(fragment a, fragment b, accumulator c) {
#ifdef __gfx1250__
  return __builtin_amdgcn_wmma_f32_16x16x32_f16(0, a, 0, b, 0, c, 0, 0);
#else
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c);
#endif
}
static inline u32 d_row(u32 lane, int v) { return (lane >> 4) * 8 + (u32)v; }
#define WAVE 32
#define D_VALUES 8
#else
static inline accumulator multiply(fragment a, fragment b, accumulator c) {
#ifdef __gfx950__
  return __builtin_amdgcn_mfma_f32_16x16x32_f16(a, b, c, 0, 0, 0);
#else
  return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
#endif
}
static inline u32 d_row(u32 lane, int v) { return (lane >> 4) * 4 + (u32)v; }
#define WAVE 64
#define D_VALUES 4
#endif

// D (n x n, f32) = A (n x n, f16, by rows) * B (by columns): 256 work-items make a 64 x 64 tile, staged through LDS in
// steps of 32; each wave a part of 16 rows or 32 x 16 outputs.
KERNEL __attribute__((amdgpu_flat_work_group_size(256, 256))) void gemm(GLOBAL f32 *d, const GLOBAL f16 *a,
                                                                        const GLOBAL f16 *b, i32 n) {
  static SHARED UNINITIALISED f16 as[64 * 40], bs[64 * 40];
  u32 t = __builtin_amdgcn_workitem_id_x(), lane = t % WAVE, wave = t / WAVE;
  u32 row0 = __builtin_amdgcn_workgroup_id_y() * 64, col0 = __builtin_amdgcn_workgroup_id_x() * 64;
  enum { waves = 256 / WAVE, tiles = 16 / waves };
  accumulator sum[tiles] = {};
  for (i32 k0 = 0; k0 < n; k0 += 32) {
    u32 r = t / 4, c = t % 4 * 8;
    *(SHARED f16x8 *)(as + r * 40 + c) = *(const GLOBAL f16x8 *)(a + (u64)(row0 + r) * (u64)n + (u32)k0 + c);
    *(SHARED f16x8 *)(bs + r * 40 + c) = *(const GLOBAL f16x8 *)(b + (u64)(col0 + r) * (u64)n + (u32)k0 + c);
    barrier();
    for (u32 k = 0; k < 32; k += K_STEP) {
#pragma clang loop unroll(full)
      for (int x = 0; x < tiles; ++x) {
        u32 tile = wave * tiles + (u32)x, row = tile / 4 * 16, col = tile % 4 * 16;
        fragment fa = *(SHARED fragment *)(as + (row + lane_row(lane)) * 40 + k + lane_k(lane));
        fragment fb = *(SHARED fragment *)(bs + (col + lane_row(lane)) * 40 + k + lane_k(lane));
        sum[x] = multiply(fa, fb, sum[x]);
      }
    }
    barrier();
  }
#pragma clang loop unroll(full)
  for (int x = 0; x < tiles; ++x) {
    u32 tile = wave * tiles + (u32)x, row = row0 + tile / 4 * 16, col = col0 + tile % 4 * 16 + (lane & 15);
#pragma clang loop unroll(full)
    for (int v = 0; v < D_VALUES; ++v)
      d[(u64)(row + d_row(lane, v)) * (u64)n + col] = sum[x][v];
  }
}

// Attention's inner loop in miniature, a wave on its own: scores by the matrix unit, running maximum across lanes,
// exponentials, sums, the second product with operands that pass through LDS.
KERNEL __attribute__((amdgpu_flat_work_group_size(WAVE, WAVE))) void attention(GLOBAL f32 *out, const GLOBAL f16 *q,
                                                                               const GLOBAL f16 *k, i32 keys) {
  static SHARED UNINITIALISED f16 p[16 * 40];
  u32 lane = __builtin_amdgcn_workitem_id_x();
  fragment query =
      *(const GLOBAL fragment *)(q + (lane_row(lane) + __builtin_amdgcn_workgroup_id_x() * 16) * K_STEP + lane_k(lane));
  accumulator o = {};
  f32 top[D_VALUES], total[D_VALUES];
  for (int v = 0; v < D_VALUES; ++v) {
    top[v] = -1e30f;
    total[v] = 0;
  }
  for (u32 at = lane; at < 16 * 40; at += WAVE)
    p[at] = 0; // a fragment may have more columns than there are keys
  barrier();
  for (i32 key = 0; key < keys; key += 16) {
    fragment fk = *(const GLOBAL fragment *)(k + ((u32)key + lane_row(lane)) * K_STEP + lane_k(lane));
    accumulator zero = {};
    accumulator s = multiply(query, fk, zero);
#pragma clang loop unroll(full)
    for (int v = 0; v < D_VALUES; ++v) {
      f32 m = s[v];
#pragma clang loop unroll(full)
      for (u32 step = 1; step < 16; step *= 2) {
        f32 other =
            __builtin_bit_cast(f32, __builtin_amdgcn_ds_bpermute((int)((lane ^ step) * 4), __builtin_bit_cast(int, m)));
        m = other > m ? other : m;
      }
      m = m > top[v] ? m : top[v];
      f32 scale = __builtin_amdgcn_exp2f(top[v] - m), e = __builtin_amdgcn_exp2f(s[v] - m);
      top[v] = m;
      total[v] = total[v] * scale + e;
      o[v] *= scale;
      p[d_row(lane, v) * 40 + (lane & 15)] = (f16)e;
    }
    barrier();
    fragment fp = *(SHARED fragment *)(p + lane_row(lane) * 40 + lane_k(lane));
    o = multiply(fp, fk, o);
    barrier();
  }
  for (int v = 0; v < D_VALUES; ++v)
    out[((u64)__builtin_amdgcn_workgroup_id_x() * D_VALUES + (u64)v) * WAVE + lane] = o[v] / total[v];
}
