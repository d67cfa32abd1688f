// Kernels for the tests of `flyc run`: each parameter kind, faults, LDS.
#define KERNEL __attribute__((amdgpu_kernel, visibility("protected")))
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))
typedef unsigned char u8;
typedef unsigned long u64;

static inline int item(void) { return __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x(); }

KERNEL void add(GLOBAL float *out, const GLOBAL float *a, const GLOBAL float *b, int n) {
  int i = item();
  if (i < n) out[i] = a[i] + b[i];
}
KERNEL void copy(GLOBAL u8 *out, const GLOBAL u8 *in, int n) {
  int i = item();
  if (i < n) out[i] = in[i];
}
KERNEL void increment(GLOBAL int *x) { x[item()] += 1; }

struct values { u8 a; signed char b; unsigned short c; short d; unsigned e; int f; u64 g; long h; _Float16 i; __bf16 j; float k; double l; u8 m; };
KERNEL void scalars(GLOBAL struct values *out, u8 a, signed char b, unsigned short c, short d, unsigned e, int f, u64 g, long h,
                    _Float16 i, __bf16 j, float k, double l, u8 m) {
  struct values v = {a, b, c, d, e, f, g, h, i, j, k, l, m};
  *out = v;
}

struct pair { int count; u8 tag[5]; };
KERNEL void structure(GLOBAL int *out, struct pair p) {
  out[0] = p.count;
  for (int k = 0; k < 5; ++k) out[1 + k] = p.tag[k];
}

KERNEL void shared(GLOBAL u8 *out, SHARED u8 *a, SHARED u8 *b) {
  int t = __builtin_amdgcn_workitem_id_x();
  a[t] = t;
  b[t] = 2 * t;
  out[t] = a[t] + b[t];
}
extern SHARED int dynamic[];
KERNEL void dynamic_shared(GLOBAL int *out) {
  int t = __builtin_amdgcn_workitem_id_x();
  dynamic[t] = 3 * t;
  out[t] = dynamic[t];
}

KERNEL void endless(GLOBAL int *out) {
  while (*(volatile GLOBAL int *)out == 0) {}
}

KERNEL void columns(GLOBAL int *out) { // lanes a row apart: LDS and global memory at their worst
  static volatile SHARED int tile[64 * 32] __attribute__((loader_uninitialized));
  int t = __builtin_amdgcn_workitem_id_x();
  tile[32 * t] = t;
  out[32 * t] = tile[32 * t];
}

KERNEL void race(GLOBAL int *out) { // no barrier
  static volatile SHARED int tile[128] __attribute__((loader_uninitialized));
  int t = __builtin_amdgcn_workitem_id_x();
  tile[t] = t;
  out[t] = tile[127 - t];
}

KERNEL void same(GLOBAL int *out, int differs) { // both waves store to one place
  static volatile SHARED int place[1] __attribute__((loader_uninitialized));
  int t = __builtin_amdgcn_workitem_id_x();
  if (t % 64 == 0) place[0] = 5 + differs * (t / 64);
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); // the barrier alone does not wait for the store
  __builtin_amdgcn_s_barrier();
  out[t] = place[0];
}
