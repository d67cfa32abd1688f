/* What other compilers' kernels have that flyc's do not: calls, a stack that grows, jumps into the middle of a loop, spills. */
#define KERNEL __attribute__((amdgpu_kernel))
#define GLOBAL __attribute__((address_space(1)))
#define LDS __attribute__((address_space(3)))
typedef unsigned u32;
typedef float f32x4 __attribute__((ext_vector_type(4)));

__attribute__((noinline)) float polynomial(float x, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum = sum * x + (float)i;
  return sum;
}
KERNEL void calls(GLOBAL float *a, int n) {
  u32 t = __builtin_amdgcn_workitem_id_x();
  a[t] = polynomial(a[t + 64], n) + polynomial(a[t + 128], n + 1);
}
KERNEL void growing(GLOBAL int *a, int n) {
  int *buffer = (int *)__builtin_alloca(n * 4);
  for (int i = 0; i < n; ++i) buffer[i] = a[i];
  for (int i = 0; i < n; ++i) a[n - 1 - i] = buffer[i];
}
KERNEL void nested(GLOBAL float *a, GLOBAL float *b, int n, int m) {
  u32 t = __builtin_amdgcn_workitem_id_x();
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < m; ++k) sum += a[i * m + k] * b[k * n + t];
    sum += a[i];
  }
  a[t] = sum;
}
KERNEL void into_the_middle(GLOBAL int *a, int n) {
  int i = 0;
  if (n > 10) goto middle;
top:
  a[i] = i;
  ++i;
middle:
  a[i + 100] += n;
  i += 2;
  if (i < n) goto top;
}
__attribute__((amdgpu_num_vgpr(24))) KERNEL void spills(GLOBAL f32x4 *a, GLOBAL f32x4 *b) {
  u32 t = __builtin_amdgcn_workitem_id_x();
  f32x4 x[10];
  for (int i = 0; i < 10; ++i) x[i] = a[t + 64 * i];
  __builtin_amdgcn_s_barrier();
  for (int i = 0; i < 10; ++i) b[t + 64 * i] = x[9 - i] * x[i] + x[(i * 3) % 10];
}
static LDS __attribute__((loader_uninitialized)) float tile[64 * 16];
__attribute__((amdgpu_flat_work_group_size(256, 256))) KERNEL void limited_by_lds(GLOBAL float *a) {
  static LDS __attribute__((loader_uninitialized)) f32x4 wide[1536];
  u32 t = __builtin_amdgcn_workitem_id_x();
  wide[t] = (f32x4){a[t], a[t + 1], a[t + 2], a[t + 3]};
  tile[t] = a[t + 64];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  f32x4 w = wide[t ^ 1];
  a[t] = w.x + w.y + w.z + w.w + tile[t ^ 3];
}
