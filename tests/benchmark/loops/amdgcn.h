// What C for amdgcn spells with attributes and built-in functions.
#define KERNEL(block)                                                                                                  \
  __attribute__((amdgpu_kernel, visibility("protected"), amdgpu_flat_work_group_size(block, block))) void
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3), loader_uninitialized))

// A turn of the loop is a turn of the source: as `unroll=False`.
#define ROLLED _Pragma("clang loop unroll(disable) vectorize(disable) interleave(disable)")

typedef unsigned char u8;
typedef unsigned int u32;
typedef float float4 __attribute__((ext_vector_type(4)));

static inline int thread_id(void) { return __builtin_amdgcn_workitem_id_x(); }
static inline int block_id(void) { return __builtin_amdgcn_workgroup_id_x(); }
static inline int block_id_y(void) { return __builtin_amdgcn_workgroup_id_y(); }

static inline void barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}
