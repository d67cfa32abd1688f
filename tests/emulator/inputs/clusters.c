// Kernels for gfx1250's clusters of workgroups.
#include "device.h"

/// Every id there is, 16 words a workgroup.
KERNEL void cluster_ids(GLOBAL u32 *out, u32 columns, u32 rows) {
  u32 x = __builtin_amdgcn_workgroup_id_x(), y = __builtin_amdgcn_workgroup_id_y(), z = __builtin_amdgcn_workgroup_id_z();
  GLOBAL u32 *o = out + 16 * (x + columns * (y + rows * z));
  o[0] = x;
  o[1] = y;
  o[2] = z;
  o[3] = __builtin_amdgcn_cluster_id_x();
  o[4] = __builtin_amdgcn_cluster_id_y();
  o[5] = __builtin_amdgcn_cluster_id_z();
  o[6] = __builtin_amdgcn_cluster_workgroup_id_x();
  o[7] = __builtin_amdgcn_cluster_workgroup_id_y();
  o[8] = __builtin_amdgcn_cluster_workgroup_id_z();
  o[9] = __builtin_amdgcn_cluster_workgroup_flat_id();
  o[10] = __builtin_amdgcn_cluster_workgroup_max_id_x();
  o[11] = __builtin_amdgcn_cluster_workgroup_max_id_y();
  o[12] = __builtin_amdgcn_cluster_workgroup_max_id_z();
  o[13] = __builtin_amdgcn_cluster_workgroup_max_flat_id();
}

static inline void cluster_barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  __builtin_amdgcn_s_cluster_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
}

/// Each round every workgroup writes a slot of its own and reads the next workgroup's: as a ring within the cluster.
/// The sums are right only if all run together and none runs ahead.
KERNEL void cluster_ring(GLOBAL u32 *slots, GLOBAL u32 *out, i32 rounds) {
  u32 t = __builtin_amdgcn_workitem_id_x(), n = block_dim(0), group = __builtin_amdgcn_workgroup_id_x();
  u32 rank = __builtin_amdgcn_cluster_workgroup_flat_id(), size = __builtin_amdgcn_cluster_workgroup_max_flat_id() + 1;
  u32 next = group - rank + (rank + 1) % size, sum = 0;
  for (i32 k = 0; k < rounds; ++k) {
    slots[group * n + t] = group * 1000 + (u32)k * 100 + t;
    cluster_barrier();
    sum += slots[next * n + t];
    cluster_barrier();
  }
  out[group * n + t] = sum;
}

/// All but one workgroup of a cluster come to its barrier.
KERNEL void cluster_stuck(GLOBAL u32 *out) {
  if (__builtin_amdgcn_cluster_workgroup_flat_id() == 1) return;
  if (__builtin_amdgcn_cluster_workgroup_flat_id() == 2) __builtin_amdgcn_s_barrier_wait(-3);
  cluster_barrier();
  out[0] = 1;
}

/// Multicast: the plain form, into LDS for both workgroups, and into LDS for the first alone.
KERNEL void cluster_multicast(GLOBAL i32 *in, GLOBAL i32 *direct, GLOBAL i32 *both, GLOBAL i32 *first) {
  static UNINITIALISED SHARED i32 lds[64];
  u32 t = __builtin_amdgcn_workitem_id_x(), group = __builtin_amdgcn_workgroup_id_x(), at = group * 32 + t;
  direct[at] = __builtin_amdgcn_cluster_load_b32(in + t, 0, 3);
  lds[32 + t] = -1;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_cluster_load_async_to_lds_b32(in + t, lds + t, 0, 0, 3);
  if (__builtin_amdgcn_cluster_workgroup_id_x() == 0)
    __builtin_amdgcn_cluster_load_async_to_lds_b32(in + t, lds + 32 + t, 0, 0, 1);
  __builtin_amdgcn_s_wait_asynccnt(0);
  __builtin_amdgcn_s_cluster_barrier();
  both[at] = lds[t];
  first[at] = lds[32 + t];
}
KERNEL void multicast_outside(GLOBAL i32 *in, GLOBAL i32 *out) { out[0] = __builtin_amdgcn_cluster_load_b32(in, 0, 0x30); }
/// SCC of the cluster's isfirst, with SCC 0 and 1 before it, one word a workgroup each.
KERNEL void cluster_first(GLOBAL u32 *out) {
  u32 scc, group = __builtin_amdgcn_workgroup_id_x();
  __asm__ volatile("s_cmp_eq_u32 0, 1\n s_barrier_signal_isfirst -3\n s_cselect_b32 %0, 1, 0\n s_barrier_wait 0xfffd" : "=s"(scc)::"scc");
  out[2 * group] = scc;
  __asm__ volatile("s_cmp_eq_u32 0, 0\n s_barrier_signal_isfirst -3\n s_cselect_b32 %0, 1, 0\n s_barrier_wait 0xfffd" : "=s"(scc)::"scc");
  out[2 * group + 1] = scc;
}
