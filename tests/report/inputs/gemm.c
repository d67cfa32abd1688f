// C = A B for f16 A[m][k], B[n][k] and f32 C[m][n]: tiles of 128x128x32 for workgroups of 256, four waves of 64x64. m, n and
// k are multiples of the tile. LDS is double-buffered: while the matrix cores work on one tile, the next is on its way.
//
//     clang -x c --target=amdgcn-amd-amdhsa -mcpu=gfx942 -nogpulib -O3 -gline-tables-only gemm.c -o gemm.hsaco
typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef _Float16 half8 __attribute__((ext_vector_type(8)));
typedef float float16 __attribute__((ext_vector_type(16)));
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))

enum { tile = 128, depth = 32, row = depth + 8 }; // 8 elements of padding keep the rows apart in the banks
__attribute__((loader_uninitialized)) static SHARED _Float16 buffers[2][2][tile * row];

__attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(256, 256)))
void gemm(const GLOBAL _Float16 *a, const GLOBAL _Float16 *b, GLOBAL float *c, int n, int k) {
  const int thread = __builtin_amdgcn_workitem_id_x(), lane = thread % 64, wave = thread / 64;
  const int place = thread / 4 * row + thread % 4 * 8; // a thread copies 8 elements of rows r and r + 64
  a += (long)(__builtin_amdgcn_workgroup_id_y() * tile + thread / 4) * k + thread % 4 * 8;
  b += (long)(__builtin_amdgcn_workgroup_id_x() * tile + thread / 4) * k + thread % 4 * 8;
  half8 next[2][2];
  for (int half = 0; half < 2; ++half) {
    next[0][half] = *(const GLOBAL half8 *)(a + (long)half * 64 * k);
    next[1][half] = *(const GLOBAL half8 *)(b + (long)half * 64 * k);
  }
  for (int operand = 0; operand < 2; ++operand)
    for (int half = 0; half < 2; ++half)
      *(SHARED half8 *)&buffers[0][operand][place + half * 64 * row] = next[operand][half];
  float16 sum[2][2] = {};
  const int first = lane % 32 * row + lane / 32 * 4; // of the fragments: lanes 0-31 have k 0-3, lanes 32-63 k 4-7
  for (int at = 0, now = 0; at < k; at += depth, now ^= 1) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
    const int ahead = at + depth < k ? at + depth : at;
    for (int half = 0; half < 2; ++half) {
      next[0][half] = *(const GLOBAL half8 *)(a + (long)half * 64 * k + ahead);
      next[1][half] = *(const GLOBAL half8 *)(b + (long)half * 64 * k + ahead);
    }
    for (int step = 0; step < depth; step += 8) {
      half4 x[2], y[2];
      for (int i = 0; i < 2; ++i) {
        x[i] = *(SHARED half4 *)&buffers[now][0][(wave / 2 * 64 + i * 32) * row + first + step];
        y[i] = *(SHARED half4 *)&buffers[now][1][(wave % 2 * 64 + i * 32) * row + first + step];
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          sum[i][j] = __builtin_amdgcn_mfma_f32_32x32x8f16(x[i], y[j], sum[i][j], 0, 0, 0);
    }
    for (int operand = 0; operand < 2; ++operand)
      for (int half = 0; half < 2; ++half)
        *(SHARED half8 *)&buffers[now ^ 1][operand][place + half * 64 * row] = next[operand][half];
  }
  c += (long)(__builtin_amdgcn_workgroup_id_y() * tile + wave / 2 * 64 + lane / 32 * 4) * n +
       __builtin_amdgcn_workgroup_id_x() * tile + wave % 2 * 64 + lane % 32;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 16; ++r)
        c[(long)(i * 32 + r / 4 * 8 + r % 4) * n + j * 32] = sum[i][j][r];
}
