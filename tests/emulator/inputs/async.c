// Asynchronous transfers between global memory and LDS, and barriers in LDS.
#include "device.h"
typedef i32 i2 __attribute__((ext_vector_type(2)));
typedef i32 i4 __attribute__((ext_vector_type(4)));
static UNINITIALISED SHARED __attribute__((aligned(16))) u8 lds[8192];

/// Each lane moves its own bytes in and back out by every size; the LDS address turns the lanes round, and the offset counts on
/// both sides.
#define ROUND_TRIP(SIZE, T)                                                                                            \
  KERNEL void round_trip_##SIZE(GLOBAL u8 *in, GLOBAL u8 *out) {                                                       \
    u32 t = __builtin_amdgcn_workitem_id_x(), n = sizeof(T);                                                           \
    SHARED u8 *local = lds + (31 - t) * n;                                                                             \
    __builtin_amdgcn_global_load_async_to_lds_b##SIZE((GLOBAL T *)(in + t * n), (SHARED T *)local, 64, 0);             \
    __builtin_amdgcn_s_wait_asynccnt(0);                                                                               \
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");                                                             \
    __builtin_amdgcn_global_store_async_from_lds_b##SIZE((GLOBAL T *)(out + (31 - t) * n), (SHARED T *)(lds + (31 - t) * n), 64, 0); \
    __builtin_amdgcn_s_wait_asynccnt(0);                                                                               \
  }
ROUND_TRIP(8, char)
ROUND_TRIP(32, i32)
ROUND_TRIP(64, i2)
ROUND_TRIP(128, i4)

/// Loads come in order, so leaving one outstanding shows the first and not yet the second.
KERNEL void first_of_two(GLOBAL i32 *in, GLOBAL i32 *out) {
  u32 t = __builtin_amdgcn_workitem_id_x();
  SHARED i32 *words = (SHARED i32 *)lds;
  words[t] = words[32 + t] = -1;
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_global_load_async_to_lds_b32(in + t, words + t, 0, 0);
  __builtin_amdgcn_global_load_async_to_lds_b32(in + 32 + t, words + 32 + t, 0, 0);
  __builtin_amdgcn_s_wait_asynccnt(1);
  out[t] = words[t];
  out[32 + t] = words[32 + t];
  __builtin_amdgcn_s_wait_asynccnt(0);
}

/// All waves load a part of a tile and announce it at a barrier after their loads; all wait for the tile's completion.
KERNEL void announced(GLOBAL i32 *in, GLOBAL i32 *out, u32 rounds) {
  static UNINITIALISED SHARED u64 ready;
  u32 t = __builtin_amdgcn_workitem_id_x(), n = block_dim(0), sum = 0;
  SHARED i32 *words = (SHARED i32 *)lds;
  if (t == 0) ready = (u64)(n - 1) << 32 | (n - 1);
  barrier();
  for (u32 k = 0; k < rounds; ++k) {
    __builtin_amdgcn_global_load_async_to_lds_b32(in + k * n + t, words + t, 0, 0);
    __builtin_amdgcn_ds_atomic_async_barrier_arrive_b64((SHARED long *)&ready);
    while ((*(volatile SHARED u64 *)&ready >> 29 & 1) == (k & 1)) __builtin_amdgcn_s_sleep(1);
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    sum = sum * 5 + (u32)((volatile SHARED i32 *)words)[n - 1 - t];
    barrier();
  }
  out[t] = (i32)sum;
}

/// What arrivals do to a barrier that expects three: old values and the end.
KERNEL void arrivals(GLOBAL u64 *out) {
  static UNINITIALISED SHARED u64 b;
  b = 2ull << 32 | 2;
  for (u32 k = 0; k < 7; ++k) out[k] = (u64)__builtin_amdgcn_ds_atomic_barrier_arrive_rtn_b64((SHARED long *)&b, k == 3 ? 2 : 1);
  out[7] = *(volatile SHARED u64 *)&b;
}
