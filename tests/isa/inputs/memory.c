/* Global, LDS and private memory, vectors, atomics, cache policy, sub-word access. */
#include "device.h"
KERNEL void vectors(GLOBAL f32x4 *a, GLOBAL f32x4 *b, GLOBAL f32x4 *c, int n) {
  u32 i = global_id();
  if (i < n) c[i] = __builtin_nontemporal_load(&a[i]) + b[i + 16];
}
KERNEL void local_memory(GLOBAL float *a, GLOBAL float *out) {
  SHARED float tile[33 * 32];
  SHARED f32x4 wide[64];
  u32 t = thread_id(), i = global_id();
  tile[(t & 31) * 33 + (t >> 5)] = a[i];
  wide[t & 63] = (f32x4){a[i + 1], a[i + 2], a[i + 3], a[i + 4]};
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  f32x4 w = wide[(t + 1) & 63];
  out[i] = tile[t] + tile[t + 32] + w.x + w.w;
}
KERNEL void atomics(GLOBAL int *a, GLOBAL float *f, GLOBAL u64 *b, int n) {
  SHARED int count;
  u32 t = thread_id();
  __atomic_fetch_add((LDS int *)&count, n, __ATOMIC_RELAXED);
  int old = __atomic_fetch_add(a, (int)t, __ATOMIC_RELAXED);
  __atomic_fetch_max(a + 1, n, __ATOMIC_SEQ_CST);
  int expected = n;
  __atomic_compare_exchange_n(a + 2, &expected, old, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
  __atomic_fetch_add(f, 1.0f, __ATOMIC_RELAXED);
  b[t] = __atomic_exchange_n(b + 100, (u64)old, __ATOMIC_ACQ_REL) + count + expected;
}
KERNEL void subword(GLOBAL unsigned char *a, GLOBAL signed char *b, GLOBAL f16 *c, GLOBAL u32 *d) {
  u32 i = global_id();
  d[i] = a[i] + b[i * 3 + 1] + ((GLOBAL short *)c)[i + 5];
  c[i] = c[i] + (f16)1.0f;
  a[i + 7] = (unsigned char)d[i + 9];
}
KERNEL void scratch(GLOBAL int *a, int n) {
  volatile int buffer[40];
  for (int i = 0; i < 40; ++i) buffer[i] = a[i] * n;
  a[thread_id()] = buffer[(a[0] + n) & 31] + buffer[thread_id() & 7];
}
KERNEL void generic_pointer(GLOBAL int *a, int n) {
  SHARED int l[64];
  l[thread_id() & 63] = a[thread_id()];
  int *p = n & 1 ? (int *)a : (int *)l;
  p[thread_id() & 31] += n;
}
