// Kernels ordered by gfx1250's barriers in LDS alone, well or not; blocks of 128, four waves.
#include "device.h"
static SHARED UNINITIALISED u32 tile[128];
static SHARED UNINITIALISED u64 full, empty;
#define LANE __builtin_amdgcn_workitem_id_x()

static inline void initialise(SHARED u64 *b, u32 arrivals) { *(volatile SHARED u64 *)b = (u64)(arrivals - 1) << 32 | (arrivals - 1); }
static inline u32 parity(SHARED u64 *b) { return (u32)(*(volatile SHARED u64 *)b >> 29 & 1); }
/// Until the phase of this parity is over.
static inline void await(SHARED u64 *b, u32 phase) {
  while (parity(b) == phase) __builtin_amdgcn_s_sleep(1);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// All write, arrive, and read what another wave has written.
enum { Waited, NotWaited, WrittenAfterTheArrival, WrongPhase };
#define HANDED_OVER(NAME, ARRIVE)                                                                                      \
  KERNEL void NAME(GLOBAL u32 *out, i32 how) {                                                                         \
    volatile SHARED u32 *words = tile;                                                                                 \
    u32 t = LANE;                                                                                                      \
    if (t == 0) initialise(&full, how == WrongPhase ? 256 : 128);                                                      \
    barrier();                                                                                                         \
    words[t] = t;                                                                                                      \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                                                             \
    ARRIVE;                                                                                                            \
    if (how == WrittenAfterTheArrival) words[t] = t + 1;                                                               \
    if (how == WrongPhase) await(&full, 1);                                                                            \
    else if (how != NotWaited) await(&full, 0);                                                                        \
    out[t] = words[(t + 32) & 127];                                                                                    \
  }
HANDED_OVER(handed_over, (void)__builtin_amdgcn_ds_atomic_barrier_arrive_rtn_b64((SHARED long *)&full, 1))
HANDED_OVER(handed_over_async, __builtin_amdgcn_ds_atomic_async_barrier_arrive_b64((SHARED long *)&full))

// Wave 0 loads a tile twice, asynchronously; the three others read it and say when they have.
KERNEL void pipeline(GLOBAL u32 *out, i32 waits) {
  static SHARED UNINITIALISED u64 loaded[2];
  u32 t = LANE, sum = 0;
  volatile SHARED u32 *words = tile;
  if (t == 0) {
    initialise(&loaded[0], 32);
    initialise(&loaded[1], 32);
    initialise(&empty, 96);
  }
  barrier();
  for (u32 round = 0; round < 2; ++round) {
    if (t < 32) {
      if (waits && round) await(&empty, 0);
      __builtin_amdgcn_global_load_async_to_lds_b32((GLOBAL i32 *)out + t, (SHARED i32 *)tile + t, 0, 0);
      __builtin_amdgcn_ds_atomic_async_barrier_arrive_b64((SHARED long *)&loaded[round]);
    } else {
      await(&loaded[round], 0);
      sum += words[t & 31];
      __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
      (void)__builtin_amdgcn_ds_atomic_barrier_arrive_rtn_b64((SHARED long *)&empty, 1);
    }
  }
  if (t >= 32) out[t] = sum;
}
