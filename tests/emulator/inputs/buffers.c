// Kernels that reach memory through buffer resources, as other compilers write them: a softmax, a layer norm, a prefix sum
// and a sort. Rows may be shorter than the workgroup: what is outside of the buffer reads as 0 and is not written.
#include "device.h"

#if defined(__gfx1250__)
#define RAW 0 // CDNA5 ISA, table 57: no swizzling, bytes against num_records, type 0
#elif defined(__gfx1201__)
#define RAW 0x31027000
#else
#define RAW 0x27000
#endif
enum { SIZE = 256 };
typedef __amdgpu_buffer_rsrc_t Buffer;

static inline Buffer bufferOf(GLOBAL void *at, u32 bytes) { return __builtin_amdgcn_make_buffer_rsrc((void *)at, 0, bytes, RAW); }
static inline u32 at(Buffer b, u32 k) { return __builtin_amdgcn_raw_buffer_load_b32(b, 4 * k, 0, 0); }
static inline f32 floatAt(Buffer b, u32 k) { return __builtin_bit_cast(f32, at(b, k)); }
static inline void put(Buffer b, u32 k, u32 v) { __builtin_amdgcn_raw_buffer_store_b32(v, b, 4 * k, 0, 0); }
static inline u32 lane(void) { return __builtin_amdgcn_workitem_id_x(); }
static inline u32 row(void) { return __builtin_amdgcn_workgroup_id_x(); }

static SHARED UNINITIALISED f32 shared[SIZE];
static SHARED UNINITIALISED u32 keys[SIZE];

/// The sum of all work-items' values (or their maximum), in every one.
static inline f32 reduced(f32 v, int maximum) {
  u32 t = lane();
  barrier();
  shared[t] = v;
  for (u32 half = SIZE / 2; half; half /= 2) {
    barrier();
    if (t < half) shared[t] = maximum ? __builtin_fmaxf(shared[t], shared[t + half]) : shared[t] + shared[t + half];
  }
  barrier();
  return shared[0];
}

__attribute__((amdgpu_flat_work_group_size(SIZE, SIZE))) KERNEL void softmax(GLOBAL f32 *x, GLOBAL f32 *y, u32 n) {
  u32 t = lane();
  Buffer in = bufferOf(x + row() * n, 4 * n), out = bufferOf(y + row() * n, 4 * n);
  f32 v = floatAt(in, t), largest = reduced(t < n ? v : -__builtin_inff(), 1);
  f32 e = __builtin_amdgcn_exp2f((v - largest) * 1.44269504f);
  f32 sum = reduced(t < n ? e : 0.0f, 0);
  put(out, t, __builtin_bit_cast(u32, e / sum));
}

__attribute__((amdgpu_flat_work_group_size(SIZE, SIZE))) KERNEL void layer_norm(GLOBAL f32 *x, GLOBAL f32 *y, u32 n) {
  u32 t = lane();
  Buffer in = bufferOf(x + row() * n, 4 * n), out = bufferOf(y + row() * n, 4 * n);
  f32 v = floatAt(in, t), mean = reduced(v, 0) / n, d = t < n ? v - mean : 0.0f; // outside: 0
  f32 variance = reduced(d * d, 0) / n;
  put(out, t, __builtin_bit_cast(u32, d / __builtin_sqrtf(variance + 1e-5f)));
}

__attribute__((amdgpu_flat_work_group_size(SIZE, SIZE))) KERNEL void scan(GLOBAL u32 *x, GLOBAL u32 *y, u32 n) {
  u32 t = lane();
  keys[t] = at(bufferOf(x, 4 * n), t);
  for (u32 step = 1; step < SIZE; step *= 2) {
    barrier();
    u32 v = t >= step ? keys[t - step] : 0;
    barrier();
    keys[t] += v;
  }
  put(bufferOf(y, 4 * n), t, keys[t]);
}

__attribute__((amdgpu_flat_work_group_size(SIZE, SIZE))) KERNEL void sort(GLOBAL u32 *x, GLOBAL u32 *y, u32 n) {
  u32 t = lane();
  keys[t] = t < n ? at(bufferOf(x, 4 * n), t) : ~0u;
  for (u32 size = 2; size <= SIZE; size *= 2)
    for (u32 step = size / 2; step; step /= 2) {
      barrier();
      u32 other = t ^ step, a = keys[t], b = keys[other];
      int keepsSmaller = ((t & size) == 0) == (t < other);
      barrier();
      keys[t] = keepsSmaller ? (a < b ? a : b) : (a < b ? b : a);
    }
  put(bufferOf(y, 4 * n), t, keys[t]);
}
