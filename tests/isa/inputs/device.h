/* What the test kernels share: the names of the GPU's builtins, since there is no OpenCL library to include. */
#pragma once
#ifndef KERNEL
#define KERNEL __attribute__((amdgpu_kernel))
#endif
#define GLOBAL __attribute__((address_space(1)))
#define LDS __attribute__((address_space(3)))
#define SHARED static __attribute__((address_space(3), loader_uninitialized))
typedef unsigned int u32;
typedef unsigned long u64;
typedef _Float16 f16;
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef float f32x2 __attribute__((ext_vector_type(2)));
typedef int i32x4 __attribute__((ext_vector_type(4)));
typedef f16 f16x2 __attribute__((ext_vector_type(2)));
typedef f16 f16x4 __attribute__((ext_vector_type(4)));
typedef f16 f16x8 __attribute__((ext_vector_type(8)));
static inline u32 thread_id(void) { return __builtin_amdgcn_workitem_id_x(); }
static inline u32 block_id(void) { return __builtin_amdgcn_workgroup_id_x(); }
static inline u32 global_id(void) { return block_id() * 256 + thread_id(); }
