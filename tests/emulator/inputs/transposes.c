// Transposing loads. Each kernel gets a matrix that lies column by column (k is the slow index, the 16 m of a column
// are contiguous) and stores what each lane received; addresses as the instruction wants them for a WMMA operand.
#include "device.h"
typedef i32 i2 __attribute__((ext_vector_type(2)));
typedef i32 i3 __attribute__((ext_vector_type(3)));
typedef i16 s4 __attribute__((ext_vector_type(4)));
typedef i16 s8 __attribute__((ext_vector_type(8)));

/// 16 bits: lane L reads 8 m of column 8 * (L / 16) + L % 8.
static inline u32 offset16(u32 l) { return (8 * (l / 16) + l % 8) * 16 + 8 * (l / 8 % 2); }
/// 8 bits: lane L reads 8 m of column 4 * (L / 8) + L % 4.
static inline u32 offset8(u32 l) { return (4 * (l / 8) + l % 4) * 16 + 8 * (l / 4 % 2); }

#ifdef __gfx1250__
/// 6 bits: lane L reads column 4 * (L / 8) + L % 4 + 16 * (L / 4 % 2), 12 bytes each.
static inline u32 column6(u32 l) { return 4 * (l / 8) + l % 4 + 16 * (l / 4 % 2); }

KERNEL void global16(GLOBAL i16 *in, GLOBAL s8 *out) {
  u32 l = __builtin_amdgcn_workitem_id_x();
  out[l] = __builtin_amdgcn_global_load_tr16_b128_v8i16((GLOBAL s8 *)(in + offset16(l)));
}
KERNEL void global8(GLOBAL u8 *in, GLOBAL i2 *out) {
  u32 l = __builtin_amdgcn_workitem_id_x();
  out[l] = __builtin_amdgcn_global_load_tr8_b64_v2i32((GLOBAL i2 *)(in + offset8(l)));
}
KERNEL void global6(GLOBAL u8 *in, GLOBAL i32 *out) {
  u32 l = __builtin_amdgcn_workitem_id_x();
  i3 v = __builtin_amdgcn_global_load_tr6_b96_v3i32((GLOBAL i3 *)(in + 12 * column6(l)));
  out[3 * l] = v.x, out[3 * l + 1] = v.y, out[3 * l + 2] = v.z;
}
KERNEL void global4(GLOBAL u8 *in, GLOBAL i2 *out) {
  u32 l = __builtin_amdgcn_workitem_id_x();
  out[l] = __builtin_amdgcn_global_load_tr4_b64_v2i32((GLOBAL i2 *)(in + 8 * l));
}
/// The same from LDS, where the matrix is copied first.
#define STAGED(BYTES)                                                                                                  \
  static UNINITIALISED SHARED __attribute__((aligned(16))) u8 lds[BYTES];                                              \
  u32 l = __builtin_amdgcn_workitem_id_x();                                                                            \
  for (u32 k = l; k < BYTES; k += 32) lds[k] = ((GLOBAL u8 *)in)[k];                                                   \
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup")
KERNEL void lds16(GLOBAL i16 *in, GLOBAL s8 *out) {
  STAGED(512);
  out[l] = __builtin_amdgcn_ds_load_tr16_b128_v8i16((SHARED s8 *)((SHARED i16 *)lds + offset16(l)));
}
KERNEL void lds8(GLOBAL u8 *in, GLOBAL i2 *out) {
  STAGED(256);
  out[l] = __builtin_amdgcn_ds_load_tr8_b64_v2i32((SHARED i2 *)(lds + offset8(l)));
}
KERNEL void lds6(GLOBAL u8 *in, GLOBAL i32 *out) {
  STAGED(384);
  i3 v = __builtin_amdgcn_ds_load_tr6_b96_v3i32((SHARED i3 *)(lds + 12 * column6(l)));
  out[3 * l] = v.x, out[3 * l + 1] = v.y, out[3 * l + 2] = v.z;
}
KERNEL void lds4(GLOBAL u8 *in, GLOBAL i2 *out) {
  STAGED(256);
  out[l] = __builtin_amdgcn_ds_load_tr4_b64_v2i32((SHARED i2 *)(lds + 8 * l));
}
#elif defined(WAVE64)
KERNEL void global16(GLOBAL i16 *in, GLOBAL s4 *out) {
  u32 l = __builtin_amdgcn_workitem_id_x();
  out[l] = __builtin_amdgcn_global_load_tr_b128_v4i16((GLOBAL s4 *)(in + offset16(l & 31)));
}
KERNEL void global8(GLOBAL u8 *in, GLOBAL i32 *out) {
  u32 l = __builtin_amdgcn_workitem_id_x();
  out[l] = __builtin_amdgcn_global_load_tr_b64_i32((GLOBAL i32 *)(in + offset8(l & 31)));
}
#else
KERNEL void global16(GLOBAL i16 *in, GLOBAL s8 *out) {
  u32 l = __builtin_amdgcn_workitem_id_x();
  out[l] = __builtin_amdgcn_global_load_tr_b128_v8i16((GLOBAL s8 *)(in + offset16(l)));
}
KERNEL void global8(GLOBAL u8 *in, GLOBAL i2 *out) {
  u32 l = __builtin_amdgcn_workitem_id_x();
  out[l] = __builtin_amdgcn_global_load_tr_b64_v2i32((GLOBAL i2 *)(in + offset8(l)));
}
#endif

// Products whose operands come through transposing loads: A (16 x k) lies column by column, B (k x 16) row by row or, `plain`,
// column by column, where lane L reads its own 8 k of column L % 16 as they lie. Both must see the same k.
typedef f16 h8 __attribute__((ext_vector_type(8)));
typedef f16 h16 __attribute__((ext_vector_type(16)));
typedef f32 f8 __attribute__((ext_vector_type(8)));
#ifndef WAVE64
static inline void storeProduct(GLOBAL f32 *c, f8 d) {
  u32 l = __builtin_amdgcn_workitem_id_x();
  for (u32 j = 0; j < 8; ++j) c[(8 * (l / 16) + j) * 16 + l % 16] = d[j];
}
static inline h8 transposed(GLOBAL f16 *m) {
  u32 l = __builtin_amdgcn_workitem_id_x();
#ifdef __gfx1250__
  return __builtin_bit_cast(h8, __builtin_amdgcn_global_load_tr16_b128_v8i16((GLOBAL s8 *)(m + offset16(l))));
#else
  return __builtin_bit_cast(h8, __builtin_amdgcn_global_load_tr_b128_v8i16((GLOBAL s8 *)(m + offset16(l))));
#endif
}
static inline h8 straight(GLOBAL f16 *m, u32 size) {
  u32 l = __builtin_amdgcn_workitem_id_x();
  return *(GLOBAL h8 *)(m + l % 16 * size + 8 * (l / 16));
}
static inline f8 product(h8 a0, h8 a1, h8 b0, h8 b1, f8 c) {
#ifdef __gfx1250__
  h16 a = __builtin_shufflevector(a0, a1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  h16 b = __builtin_shufflevector(b0, b1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return __builtin_amdgcn_wmma_f32_16x16x32_f16(0, a, 0, b, 0, c, 0, 0);
#else
  c = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a0, b0, c);
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a1, b1, c);
#endif
}
KERNEL void multiply16(GLOBAL f16 *a, GLOBAL f16 *rows, GLOBAL f16 *columns, GLOBAL f32 *c, u32 size) {
  f8 d = 0, e = 0;
  for (u32 k = 0; k < size; k += 32) {
    h8 a0 = transposed(a + k * 16), a1 = transposed(a + (k + 16) * 16);
    d = product(a0, a1, transposed(rows + k * 16), transposed(rows + (k + 16) * 16), d);
    e = product(a0, a1, straight(columns + k, size), straight(columns + k + 16, size), e);
  }
  storeProduct(c, d);
  storeProduct(c + 256, e);
}
#ifndef __gfx1250__
static inline i2 transposed8(GLOBAL u8 *m) {
  u32 l = __builtin_amdgcn_workitem_id_x();
  return __builtin_amdgcn_global_load_tr_b64_v2i32((GLOBAL i2 *)(m + offset8(l)));
}
/// fp8.
KERNEL void multiply8(GLOBAL u8 *a, GLOBAL u8 *rows, GLOBAL u8 *columns, GLOBAL f32 *c, u32 size) {
  f8 d = 0, e = 0;
  u32 l = __builtin_amdgcn_workitem_id_x();
  for (u32 k = 0; k < size; k += 16) {
    i2 a0 = transposed8(a + k * 16), plain = *(GLOBAL i2 *)(columns + l % 16 * size + k + 8 * (l / 16));
    d = __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(a0, transposed8(rows + k * 16), d);
    e = __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(a0, plain, e);
  }
  storeProduct(c, d);
  storeProduct(c + 256, e);
}
#endif
#endif
