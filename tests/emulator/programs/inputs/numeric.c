// Numerical programs: Fourier transform, bodies under gravity, small floats.
#include "tests/emulator/inputs/device.h"

typedef f32 f32x2 __attribute__((ext_vector_type(2)));
typedef f32 f32x4 __attribute__((ext_vector_type(4)));
typedef f16 f16x2 __attribute__((ext_vector_type(2)));

// Radix-2 Fourier transform of 256 complex numbers a workgroup of 128, twiddles from a table.
KERNEL void fft(GLOBAL f32x2 *data, const GLOBAL f32x2 *twiddle) {
  static SHARED UNINITIALISED f32x2 tile[256];
  u32 t = __builtin_amdgcn_workitem_id_x(), base = __builtin_amdgcn_workgroup_id_x() * 256;
  for (u32 k = t; k < 256; k += 128) tile[__builtin_bitreverse32(k) >> 24] = data[base + k];
  for (u32 half = 1; half < 256; half *= 2) {
    barrier();
    u32 in = t & (half - 1), at = 2 * t - in;
    f32x2 w = twiddle[in * (128 / half)], a = tile[at], b = tile[at + half];
    f32x2 wb = {w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x};
    tile[at] = a + wb;
    tile[at + half] = a - wb;
  }
  barrier();
  for (u32 k = t; k < 256; k += 128) data[base + k] = tile[k];
}

// One step of n bodies: positions staged through LDS.
KERNEL void nbody(GLOBAL f32x4 *acceleration, const GLOBAL f32x4 *body, u32 n) {
  static SHARED UNINITIALISED f32x4 tile[64];
  u32 t = __builtin_amdgcn_workitem_id_x(), i = global_id();
  f32x4 me = i < n ? body[i] : (f32x4){0, 0, 0, 0}, sum = {0, 0, 0, 0};
  for (u32 begin = 0; begin < n; begin += 64) {
    if (begin + t < n) tile[t] = body[begin + t];
    barrier();
    for (u32 k = 0; k < 64 && begin + k < n; ++k) {
      f32x4 d = tile[k] - me;
      f32 r2 = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f, inv = 1.0f / __builtin_sqrtf(r2);
      f32 s = tile[k].w * inv * inv * inv;
      sum.x += d.x * s; sum.y += d.y * s; sum.z += d.z * s;
    }
    barrier();
  }
  if (i < n) acceleration[i] = sum;
}

// f16 and bf16 polynomials, packed where the machine has it.
KERNEL void small_floats(GLOBAL f16 *h, GLOBAL __bf16 *b, const GLOBAL f32 *in, u32 n) {
  u32 i = global_id();
  if (i >= n) return;
  f16 x = (f16)in[i];
  h[i] = x * x * (f16)0.5f - x + (f16)2.0f;
  __bf16 y = (__bf16)in[i];
  b[i] = y * y - y;
}
KERNEL void packed_halves(GLOBAL f16x2 *out, const GLOBAL f16x2 *a, const GLOBAL f16x2 *b, u32 n) {
  u32 i = global_id();
  if (i >= n) return;
  f16x2 m = __builtin_elementwise_max(a[i], b[i]), s = a[i] + b[i], p = a[i] * b[i].yx;
  out[i] = m - s * p;
}

// Division, square root and remainder in f32 and f64, correctly rounded by the compiler's expansion.
KERNEL void division(GLOBAL f32 *f, GLOBAL f64 *d, const GLOBAL f64 *a, const GLOBAL f64 *b, u32 n) {
  u32 i = global_id();
  if (i >= n) return;
  f[2 * i] = (f32)a[i] / (f32)b[i];
  f[2 * i + 1] = __builtin_sqrtf(__builtin_fabsf((f32)a[i]));
  d[2 * i] = a[i] / b[i];
  d[2 * i + 1] = __builtin_sqrt(__builtin_fabs(b[i]));
}

// fp8 and bf8 there and back, through the hardware's conversions (OCP or FNUZ as the machine has them).
KERNEL void fp8(GLOBAL f32 *out, GLOBAL u32 *codes, const GLOBAL f32 *in, u32 n) {
  u32 i = global_id();
  if (i >= n) return;
  int fp = __builtin_amdgcn_cvt_pk_fp8_f32(in[2 * i], in[2 * i + 1], 0, 0);
  int both = __builtin_amdgcn_cvt_pk_bf8_f32(in[2 * i], in[2 * i + 1], fp, 1);
  codes[i] = (u32)both;
  out[4 * i] = __builtin_amdgcn_cvt_f32_fp8(both, 0);
  out[4 * i + 1] = __builtin_amdgcn_cvt_f32_fp8(both, 1);
  out[4 * i + 2] = __builtin_amdgcn_cvt_f32_bf8(both, 2);
  out[4 * i + 3] = __builtin_amdgcn_cvt_f32_bf8(both, 3);
}
