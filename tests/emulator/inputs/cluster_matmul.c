// C = A * B for gfx1250 by everything it has for that: clusters of two workgroups that share their rows of A by multicast,
// the tensor data mover into padded double buffers, transposing LDS reads for B, WMMA, and a tensor store that drops
// what lies over the edge. Row-major f16 in, f32 out; no size needs to be a multiple of anything.
#include "device.h"
typedef i32 i4 __attribute__((ext_vector_type(4)));
typedef i32 i8v __attribute__((ext_vector_type(8)));
typedef i16 s8 __attribute__((ext_vector_type(8)));
typedef f16 h8 __attribute__((ext_vector_type(8)));
typedef f16 h16 __attribute__((ext_vector_type(16)));
typedef f32 f8 __attribute__((ext_vector_type(8)));

enum { Tile = 32, Pad = 8, Row = Tile + Pad };
static UNINITIALISED SHARED __attribute__((aligned(128))) f16 tileA[2][Tile * Row], tileB[2][Tile * Row];
static UNINITIALISED SHARED __attribute__((aligned(128))) f32 tileC[Tile * Tile];

/// A tile of rows x columns elements that begins at (row, column); rows and columns are those of the whole matrix.
static inline i4 group0(u64 global, u32 local) {
  return (i4){1, (i32)local, (i32)global, (i32)(u32)(global >> 32 & 0x1ffffff) | (i32)(2u << 30)};
}
static inline i8v group1(u32 flags, u32 width, u32 height, u32 stride) {
  return (i8v){(i32)flags, (i32)(width << 16), (i32)(width >> 16 | height << 16), (i32)(height >> 16 | Tile << 16), Tile, (i32)stride, 0, 0};
}
enum { F16 = 1 << 16, F32 = 2 << 16, Padded = 1 << 20 | 3 << 22 | (Pad / 2 - 1) << 25 };
static inline u32 left(u32 size, u32 at) { return at < size ? size - at : 0; }
static inline h8 half8(s8 v) { return __builtin_bit_cast(h8, v); }
static inline h16 join(h8 a, h8 b) { return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15); }

KERNEL void cluster_matmul(GLOBAL f16 *a, GLOBAL f16 *b, GLOBAL f32 *c, u32 m, u32 n, u32 k) {
  u32 t = __builtin_amdgcn_workitem_id_x(), l = t & 31, wave = __builtin_amdgcn_readfirstlane(t >> 5);
  u32 m0 = __builtin_amdgcn_workgroup_id_y() * Tile, n0 = __builtin_amdgcn_workgroup_id_x() * Tile;
  u32 wm = wave >> 1 << 4, wn = (wave & 1) << 4, steps = (k + Tile - 1) / Tile;
  f8 sum = 0;
  for (u32 step = 0; step <= steps; ++step) {
    if (step < steps) {
      u32 k0 = step * Tile, slot = step & 1;
      if (wave == 0)
        __builtin_amdgcn_tensor_load_to_lds_d2(group0((u64)(a + (u64)m0 * k + k0), (u32)(u64)tileA[slot]),
                                               group1(F16 | Padded | 3, left(k, k0), left(m, m0), k), 0);
      if (wave == 1)
        __builtin_amdgcn_tensor_load_to_lds_d2(group0((u64)(b + (u64)k0 * n + n0), (u32)(u64)tileB[slot]),
                                               group1(F16 | Padded, left(n, n0), left(k, k0), n), 0);
    }
    if (step > 0) {
      SHARED f16 *tileOfA = tileA[(step - 1) & 1], *tileOfB = tileB[(step - 1) & 1];
      SHARED f16 *rowA = tileOfA + (wm + l % 16) * Row + 8 * (l / 16);
      SHARED f16 *rowB = tileOfB + (8 * (l / 16) + l % 8) * Row + wn + 8 * (l / 8 % 2);
      h16 fa = join(*(SHARED h8 *)rowA, *(SHARED h8 *)(rowA + 16));
      h16 fb = join(half8(__builtin_amdgcn_ds_load_tr16_b128_v8i16((SHARED s8 *)rowB)),
                    half8(__builtin_amdgcn_ds_load_tr16_b128_v8i16((SHARED s8 *)(rowB + 16 * Row))));
      sum = __builtin_amdgcn_wmma_f32_16x16x32_f16(0, fa, 0, fb, 0, sum, 0, 0);
    }
    __builtin_amdgcn_s_wait_tensorcnt(0);
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    __builtin_amdgcn_s_cluster_barrier();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  }
  for (u32 j = 0; j < 8; ++j) tileC[(wm + 8 * (l / 16) + j) * Tile + wn + l % 16] = sum[j];
  barrier();
  if (wave == 0) {
    __builtin_amdgcn_tensor_store_from_lds_d2(group0((u64)(c + (u64)m0 * n + n0), (u32)(u64)tileC),
                                              group1(F32, left(n, n0), left(m, m0), n), 0);
    __builtin_amdgcn_s_wait_tensorcnt(0);
  }
}
