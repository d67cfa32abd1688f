// The tensor data mover. Descriptors come from the host, group after group: 4, 8, 4 and 4 words.
#include "device.h"
typedef i32 i4 __attribute__((ext_vector_type(4)));
typedef i32 i8v __attribute__((ext_vector_type(8)));

#define LDS_BYTES 16384
static UNINITIALISED SHARED __attribute__((aligned(128))) u32 lds[LDS_BYTES / 4];

#define GROUPS(d)                                                                                                      \
  i4 g0 = *(const CONSTANT i4 *)(d), g2 = *(const CONSTANT i4 *)((d) + 12), g3 = *(const CONSTANT i4 *)((d) + 16);     \
  i8v g1 = *(const CONSTANT i8v *)((d) + 4)

static inline void meet(void) {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}
static inline void fill(u32 with) {
  for (u32 k = __builtin_amdgcn_workitem_id_x(); k < LDS_BYTES / 4; k += block_dim(0)) lds[k] = with;
  meet();
}
static inline void dump(GLOBAL u32 *out) {
  meet();
  for (u32 k = __builtin_amdgcn_workitem_id_x(); k < LDS_BYTES / 4; k += block_dim(0)) out[k] = lds[k];
}
static inline int firstWave(void) { return __builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x()) == 0; }

KERNEL void load(const CONSTANT i32 *d, GLOBAL u32 *out) {
  GROUPS(d);
  fill(0xeeeeeeee);
  if (firstWave()) {
    __builtin_amdgcn_tensor_load_to_lds(g0, g1, g2, g3, 0);
    __builtin_amdgcn_s_wait_tensorcnt(0);
  }
  dump(out);
}
/// Two groups: up to two dimensions.
KERNEL void load2(const CONSTANT i32 *d, GLOBAL u32 *out) {
  GROUPS(d);
  fill(0xeeeeeeee);
  if (firstWave()) {
    __builtin_amdgcn_tensor_load_to_lds_d2(g0, g1, 0);
    __builtin_amdgcn_s_wait_tensorcnt(0);
  }
  dump(out);
}
KERNEL void store(const CONSTANT i32 *d, GLOBAL u32 *in) {
  GROUPS(d);
  for (u32 k = __builtin_amdgcn_workitem_id_x(); k < LDS_BYTES / 4; k += block_dim(0)) lds[k] = in[k];
  meet();
  if (firstWave()) {
    __builtin_amdgcn_tensor_store_from_lds(g0, g1, g2, g3, 0);
    __builtin_amdgcn_s_wait_tensorcnt(0);
  }
}
KERNEL void store2(const CONSTANT i32 *d, GLOBAL u32 *in) {
  GROUPS(d);
  for (u32 k = __builtin_amdgcn_workitem_id_x(); k < LDS_BYTES / 4; k += block_dim(0)) lds[k] = in[k];
  meet();
  if (firstWave()) {
    __builtin_amdgcn_tensor_store_from_lds_d2(g0, g1, 0);
    __builtin_amdgcn_s_wait_tensorcnt(0);
  }
}
/// Reads too early: the second wait is the one that would have been needed.
KERNEL void two_loads_one_waited(const CONSTANT i32 *d, GLOBAL u32 *out) {
  GROUPS(d);
  fill(0xeeeeeeee);
  if (firstWave()) {
    __builtin_amdgcn_tensor_load_to_lds(g0, g1, g2, g3, 0);
    g0.y += 4096; // the same after it
    __builtin_amdgcn_tensor_load_to_lds(g0, g1, g2, g3, 0);
    __builtin_amdgcn_s_wait_tensorcnt(1);
    for (u32 k = __builtin_amdgcn_workitem_id_x(); k < LDS_BYTES / 4; k += 32) out[k] = lds[k];
    __builtin_amdgcn_s_wait_tensorcnt(0);
  }
}

/// A ring of two slots of 32 words between a producer (wave 0, the mover) and consumers (the other waves): the mover's
/// completion arrives at `ready`, each consumer thread at `empty`; both sides poll a phase's parity.
static UNINITIALISED SHARED u64 barriers[4]; // ready 0, ready 1, empty 0, empty 1
static inline void await(u32 n, u32 parity) {
  for (;;) {
    u64 v = *(volatile SHARED u64 *)&barriers[n];
    if ((v >> 29 & 1) != parity) break;
    __builtin_amdgcn_s_sleep(1);
  }
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
KERNEL void ring(const CONSTANT i32 *d, GLOBAL u32 *out, u32 tiles) {
  GROUPS(d);
  u32 t = __builtin_amdgcn_workitem_id_x(), consumers = block_dim(0) - 32;
  if (t < 2) {
    barriers[t] = 0; // one arrival
    barriers[2 + t] = (u64)(consumers - 1) << 32 | (consumers - 1);
  }
  meet();
  if (firstWave()) {
    u64 address = (u32)g0.z | (u64)(u32)g0.w << 32;
    for (u32 k = 0; k < tiles; ++k) {
      u32 slot = k & 1;
      await(2 + slot, (k / 2 + 1) & 1);
      g0.y = (i32)((u32)(u64)(SHARED u32 *)lds + slot * 128);
      g0.z = (i32)address;
      g0.w = (i32)(address >> 32);
      g1.x |= 1 << 18;
      g1.y = (i32)(((u32)g1.y & 0xffff0000) | (u32)(u64)&barriers[slot] >> 3);
      __builtin_amdgcn_tensor_load_to_lds_d2(g0, g1, 0);
      address += 128;
    }
  } else {
    u32 sum = 0;
    for (u32 k = 0; k < tiles; ++k) {
      u32 slot = k & 1;
      await(slot, k / 2 & 1);
      sum = sum * 3 + ((volatile SHARED u32 *)lds)[slot * 32 + (t & 31)];
      __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
      u64 before = (u64)__builtin_amdgcn_ds_atomic_barrier_arrive_rtn_b64((SHARED long *)&barriers[2 + slot], 1);
      __asm__ volatile("" ::"v"(before));
    }
    out[t - 32] = sum;
  }
}
