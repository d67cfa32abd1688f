// Arithmetic under a MODE register that the argument sets: rounding in bits 3:0, denormals in 7:4.
#include "device.h"
#define OPERATION(TYPE, ASM, OUT)                                                                                       \
  { TYPE r; __asm__ volatile(ASM " %0, %1, %2" : "=v"(r) : "v"((TYPE)a.OUT), "v"((TYPE)b.OUT)); c.OUT = r; }
typedef struct { f64 d; f32 s; f16 h; } Three;
KERNEL void modes(GLOBAL Three *out, const GLOBAL Three *in, u32 mode) {
  u32 t = __builtin_amdgcn_workitem_id_x();
  Three a = in[2 * t], b = in[2 * t + 1], c;
  __builtin_amdgcn_s_setreg(1 | 7 << 11, mode); // MODE, 8 bits from 0
  OPERATION(f32, "s_nop 0\n v_mul_f32", s)
  OPERATION(f64, "s_nop 0\n v_mul_f64", d)
  OPERATION(f16, "s_nop 0\n v_mul_f16", h)
  out[2 * t] = c;
  OPERATION(f32, "s_nop 0\n v_add_f32", s)
  OPERATION(f64, "s_nop 0\n v_add_f64", d)
  OPERATION(f16, "s_nop 0\n v_add_f16", h)
  out[2 * t + 1] = c;
}
