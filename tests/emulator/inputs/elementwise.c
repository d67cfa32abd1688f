// Every case of cases.def as a kernel of its own name.
#include "device.h"
#define CASE(NAME, R, A, B, EXPRESSION)                                                                                 \
  KERNEL void NAME(GLOBAL R *out, const GLOBAL A *as, const GLOBAL B *bs, i32 n) {                                      \
    u32 i = global_id();                                                                                                \
    if (i < n) { A a = as[i]; B b = bs[i]; (void)b; out[i] = (EXPRESSION); }                                            \
  }
#include "cases.def"
