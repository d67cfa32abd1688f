// What the test kernels use of the device: no library, builtins only.
#pragma once
#define KERNEL __attribute__((amdgpu_kernel, visibility("protected")))
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))
#define UNINITIALISED __attribute__((loader_uninitialized))
#define CONSTANT __attribute__((address_space(4)))
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32; typedef unsigned long u64;
typedef signed char i8; typedef short i16; typedef int i32; typedef long i64;
typedef _Float16 f16; typedef float f32; typedef double f64;
static inline u32 block_dim(int axis) {
  const CONSTANT u16 *hidden = (const CONSTANT u16 *)__builtin_amdgcn_implicitarg_ptr();
  return hidden[6 + axis];
}
static inline u32 grid_dim(int axis) { return ((const CONSTANT u32 *)__builtin_amdgcn_implicitarg_ptr())[axis]; }
static inline u32 global_id(void) { return __builtin_amdgcn_workgroup_id_x() * block_dim(0) + __builtin_amdgcn_workitem_id_x(); }
static inline void barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
