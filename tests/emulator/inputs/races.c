// Kernels with and without races on LDS; blocks of two waves and more.
#include "device.h"
typedef u32 u32x4 __attribute__((ext_vector_type(4)));

static SHARED UNINITIALISED u32 tile[512];
static SHARED UNINITIALISED u8 bytes[2048];
#define LANE __builtin_amdgcn_workitem_id_x()

// Each reads what the other half of the block has written.
KERNEL void exchange(GLOBAL u32 *out, i32 synchronised) {
  u32 t = LANE;
  *(volatile SHARED u32 *)(tile + t) = t;
  if (synchronised) barrier();
  out[t] = *(volatile SHARED u32 *)(tile + (t ^ 64));
}

// Read first, written by the other half afterwards.
KERNEL void write_after_read(GLOBAL u32 *out, i32 synchronised) {
  u32 t = LANE;
  *(volatile SHARED u32 *)(tile + t) = t;
  barrier();
  u32 v = *(volatile SHARED u32 *)(tile + (t ^ 64));
  if (synchronised) barrier();
  *(volatile SHARED u32 *)(tile + t) = v + 1;
  out[t] = v;
}

KERNEL void both_write(GLOBAL u32 *out) {
  *(volatile SHARED u32 *)(tile + (LANE & 63)) = LANE;
  barrier();
  out[LANE] = tile[LANE & 63];
}

// Work-item 0 writes 16 bytes; work-item 64 reads one byte `at`.
KERNEL void wide(GLOBAL u32 *out, i32 at) {
  u32 t = LANE;
  if (t == 0) *(volatile SHARED u32x4 *)bytes = (u32x4){1, 2, 3, 4};
  if (t == 64) out[0] = *(volatile SHARED u8 *)(bytes + at);
}

// Work-item 0 writes two dwords 256 bytes apart with one instruction; work-item 64 reads one byte `at`.
KERNEL void paired(GLOBAL u32 *out, i32 at) {
  u32 t = LANE;
  if (t == 0) {
#if defined(__gfx1201__) || defined(__gfx1250__)
    __asm__ volatile("ds_store_2addr_b32 %0, %1, %2 offset0:0 offset1:64\ns_wait_dscnt 0" ::"v"((u32)(unsigned long)(SHARED void *)bytes), "v"(t), "v"(t) : "memory");
#else
    __asm__ volatile("ds_write2_b32 %0, %1, %2 offset0:0 offset1:64\ns_waitcnt lgkmcnt(0)" ::"v"((u32)(unsigned long)(SHARED void *)bytes), "v"(t), "v"(t) : "memory");
#endif
  }
  if (t == 64) out[0] = *(volatile SHARED u8 *)(bytes + at);
}

// The last wave to arrive at a counter reads what the others wrote: ordered by the atomics.
KERNEL void counter(GLOBAL u32 *out) {
  u32 t = LANE;
  if (t == 0) tile[256] = 0;
  barrier();
  tile[t] = t;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  u32 waves = block_dim(0) / __builtin_amdgcn_wavefrontsize(), old = 0;
  if (t % __builtin_amdgcn_wavefrontsize() == 0) old = __atomic_fetch_add(&tile[256], 1u, __ATOMIC_ACQ_REL);
  old = __builtin_amdgcn_readfirstlane(old);
  if (old != waves - 1) return;
  u32 sum = 0;
  for (u32 k = 0; k < block_dim(0); ++k) sum += tile[k];
  out[0] = sum;
}

// Each of the first `waves` waves' first lane stores one dword to the same place: `first` by wave 0, `second` by wave 1
// and so on. In between, wave 0 and wave 1 store `before`.
KERNEL void same_place(GLOBAL u32 *out, u32 before, u32 first, u32 second, u32 third) {
  u32 t = LANE, wave = t / __builtin_amdgcn_wavefrontsize(), lane = t % __builtin_amdgcn_wavefrontsize();
  volatile SHARED u32 *place = tile + 300;
  if (lane == 0 && before && wave < 2) *place = before;
  if (lane == 0 && wave < 3) *place = wave == 0 ? first : wave == 1 ? second : third;
  barrier();
  out[t] = *place;
}

// Wave 0 stores a dword, wave 1 a dword `at` bytes further: they overlap in 4 - at bytes.
KERNEL void overlapping(GLOBAL u32 *out, u32 first, u32 second, i32 at) {
  u32 t = LANE;
  if (t == 0) *(volatile SHARED u32 *)(bytes + 1024) = first;
  if (t == 64) *(volatile SHARED u32 __attribute__((aligned(1))) *)(bytes + 1024 + at) = second;
}

// Wave 0 and wave 1 store the same; the load has no barrier before it.
KERNEL void load_of_equal(GLOBAL u32 *out, i32 synchronised) {
  u32 t = LANE;
  if (t % 64 == 0) *(volatile SHARED u32 *)(tile + 310) = 5;
  if (synchronised) barrier();
  out[t] = *(volatile SHARED u32 *)(tile + 310);
}

// An atomic operation and a store of the same value.
KERNEL void atomic_and_store(GLOBAL u32 *out) {
  u32 t = LANE;
  if (t == 0) __atomic_store_n(&tile[320], 5u, __ATOMIC_RELAXED), __atomic_exchange_n(&tile[320], 5u, __ATOMIC_RELAXED);
  if (t == 64) *(volatile SHARED u32 *)(tile + 320) = 5;
}

// Every kind of store, the same in each wave but for what the arguments say: the second element of a pair, or the low or
// high half of a register whose high half is stored.
KERNEL void equal_kinds(GLOBAL u32 *out, u32 second, u32 low, u32 high) {
  u32 t = LANE & 31, wave = LANE >> 6, at = (u32)(unsigned long)(SHARED void *)bytes + 1024;
  *(volatile SHARED u8 *)(bytes + t) = t;
  *(volatile SHARED unsigned short *)(bytes + 64 + 2 * t) = 0x101 * t;
  *(volatile SHARED u32x4 *)(bytes + 256 + 16 * t) = (u32x4){t, t + 1, t + 2, 7};
  u32 value = 0x56781234 + wave * (low + (high << 16));
#if defined(__gfx1201__) || defined(__gfx1250__)
  __asm__ volatile("ds_store_2addr_b32 %0, %1, %2 offset0:0 offset1:64\nds_store_b8_d16_hi %0, %3 offset:512\n"
                   "ds_store_b16_d16_hi %0, %3 offset:516\ns_wait_dscnt 0"
#else
  __asm__ volatile("ds_write2_b32 %0, %1, %2 offset0:0 offset1:64\nds_write_b8_d16_hi %0, %3 offset:512\n"
                   "ds_write_b16_d16_hi %0, %3 offset:516\ns_waitcnt lgkmcnt(0)"
#endif
                   ::"v"(at), "v"(0x12345678), "v"(wave * second), "v"(value) : "memory");
}

// Wave 1 stores to global memory, wave 0 releases memory to other devices after a barrier. `waits`: before the barrier
// each wave makes sure that its stores are complete.
KERNEL void publish(GLOBAL u32 *out, i32 waits) {
  u32 t = LANE;
  out[t] = t;
  if (waits) __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  barrier();
  if (t == 0) __scoped_atomic_store_n(out, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
}
// The same without the barrier: nothing says that the release is to cover the stores of others.
KERNEL void publish_own(GLOBAL u32 *out) {
  u32 t = LANE;
  out[t] = t;
  if (t == 0) __scoped_atomic_store_n(out, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
}
