// Named barriers of gfx1250. A barrier is an object in address space 3 that takes no LDS.
#include "device.h"

typedef __amdgpu_named_workgroup_barrier_t NamedBarrier;
static UNINITIALISED SHARED NamedBarrier ready, empty;

static inline u32 wave(void) { return __builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x() >> 5); }
static inline void meet(void) { // the whole workgroup
  __builtin_amdgcn_s_barrier_signal(-1);
  __builtin_amdgcn_s_barrier_wait(-1);
}

/// Wave 0 fills a slot of LDS, waves 1 and 2 read it, round after round: two named barriers hand the slot to and fro.
/// `ready` is completed by the producer alone, `empty` by the two consumers; wave 3 has no part.
KERNEL void producer_consumers(GLOBAL u32 *out, i32 rounds) {
  static UNINITIALISED SHARED u32 slot[32];
  u32 lane = __builtin_amdgcn_workitem_id_x() & 31, w = wave();
  if (w == 0) {
    __builtin_amdgcn_s_barrier_init((void *)&ready, 1);
    __builtin_amdgcn_s_barrier_init((void *)&empty, 2);
  }
  meet();
  if (w == 0) __builtin_amdgcn_s_barrier_join((void *)&empty);
  else if (w < 3) __builtin_amdgcn_s_barrier_join((void *)&ready);
  meet(); // who joins after a completion has missed it
  if (w == 0) {
    for (i32 k = 0; k < rounds; ++k) {
      slot[lane] = (u32)k * 100 + lane;
      __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
      __builtin_amdgcn_s_barrier_signal_var((void *)&ready, 0);
      __builtin_amdgcn_s_barrier_wait(1);
      __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    }
  } else if (w < 3) {
    u32 sum = 0;
    for (i32 k = 0; k < rounds; ++k) {
      __builtin_amdgcn_s_barrier_wait(1);
      __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
      sum += slot[lane] * w;
      __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
      __builtin_amdgcn_s_barrier_signal_var((void *)&empty, 0);
    }
    out[32 * (w - 1) + lane] = sum;
  }
}

/// What s_get_barrier_state says on the way, six words, by the first of several waves.
KERNEL void barrier_states(GLOBAL u32 *out) {
  if (wave()) return;
  __builtin_amdgcn_s_barrier_init((void *)&ready, 3);
  out[0] = __builtin_amdgcn_s_get_named_barrier_state((void *)&ready);
  __builtin_amdgcn_s_barrier_signal_var((void *)&ready, 0);
  __builtin_amdgcn_s_barrier_signal_var((void *)&ready, 0);
  out[1] = __builtin_amdgcn_s_get_named_barrier_state((void *)&ready);
  __builtin_amdgcn_s_barrier_signal_var((void *)&ready, 0);
  out[2] = __builtin_amdgcn_s_get_named_barrier_state((void *)&ready);
  __builtin_amdgcn_s_barrier_signal_var((void *)&ready, 5);
  out[3] = __builtin_amdgcn_s_get_named_barrier_state((void *)&ready);
  __builtin_amdgcn_s_barrier_join((void *)&ready);
  __builtin_amdgcn_s_barrier_leave(0);
  out[4] = __builtin_amdgcn_s_get_named_barrier_state((void *)&ready);
  out[5] = __builtin_amdgcn_s_get_barrier_state(-1);
  __builtin_amdgcn_s_barrier_wait(1); // joined no more: does not stop
}

KERNEL void named_stuck(void) {
  if (wave() == 0) __builtin_amdgcn_s_barrier_init((void *)&empty, 3);
  meet();
  if (wave() == 3) return;
  __builtin_amdgcn_s_barrier_join((void *)&empty);
  if (wave() != 1) __builtin_amdgcn_s_barrier_signal_var((void *)&empty, 0);
  __builtin_amdgcn_s_barrier_wait(1);
}
KERNEL void named_without_init(void) { __builtin_amdgcn_s_barrier_signal_var((void *)&ready, 0); }
KERNEL void named_beyond_allocation(void) { __asm__ volatile("s_barrier_signal 3"); }
/// What a single wave does to barriers: nothing.
KERNEL void alone(GLOBAL u32 *out) {
  u32 scc;
  __asm__ volatile("s_cmp_eq_u32 0, 1\n s_barrier_signal_isfirst -1\n s_cselect_b32 %0, 1, 0" : "=s"(scc)::"scc");
  out[0] = scc;
  __asm__ volatile("s_cmp_eq_u32 0, 0\n s_barrier_signal_isfirst -1\n s_cselect_b32 %0, 1, 0" : "=s"(scc)::"scc");
  out[1] = scc;
  __asm__ volatile("s_barrier_signal 1\n s_barrier_wait 0xffff\n s_barrier_wait 1");
}
/// SCC after isfirst of the null barrier and after leaving none; an init without a count keeps the members.
KERNEL void null_barrier(GLOBAL u32 *out) {
  if (wave()) return;
  u32 scc;
  __asm__ volatile("s_cmp_eq_u32 0, 0\n s_barrier_signal_isfirst 0\n s_cselect_b32 %0, 1, 0" : "=s"(scc)::"scc");
  out[0] = scc;
  __asm__ volatile("s_cmp_eq_u32 0, 1\n s_barrier_signal_isfirst 0\n s_cselect_b32 %0, 1, 0" : "=s"(scc)::"scc");
  out[1] = scc;
  __asm__ volatile("s_cmp_eq_u32 0, 1\n s_barrier_leave\n s_cselect_b32 %0, 1, 0" : "=s"(scc)::"scc");
  out[2] = scc;
  __builtin_amdgcn_s_barrier_init((void *)&ready, 3);
  __builtin_amdgcn_s_barrier_signal_var((void *)&ready, 0);
  __asm__ volatile("s_mov_b32 m0, 0x50000\n s_barrier_init 1" ::: "m0");
  out[3] = __builtin_amdgcn_s_get_named_barrier_state((void *)&ready);
}
/// The first to come is told so.
KERNEL void first_signal(GLOBAL u32 *out) {
  out[wave()] = __builtin_amdgcn_s_barrier_signal_isfirst(-1);
  __builtin_amdgcn_s_barrier_wait(-1);
}
