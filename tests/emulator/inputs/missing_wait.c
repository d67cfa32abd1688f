// A load whose result is used at once: the compiler does not look into assembly, so nobody inserts the wait.
#include "device.h"

KERNEL void missing_wait(GLOBAL i32 *out, const GLOBAL i32 *in) {
  i32 v;
  __asm__ volatile("global_load_dword %0, %1, off\n\tv_add_u32 %0, %0, %0" : "=&v"(v) : "v"(in));
  out[__builtin_amdgcn_workitem_id_x()] = v;
}
