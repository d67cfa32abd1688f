// Each workgroup writes its place in its cluster, and the cluster's.
#define GLOBAL __attribute__((address_space(1)))
__attribute__((amdgpu_kernel, visibility("protected"))) void places(GLOBAL int *out) {
  GLOBAL int *o = out + 4 * (__builtin_amdgcn_workgroup_id_x() + 4 * __builtin_amdgcn_workgroup_id_y());
  o[0] = __builtin_amdgcn_cluster_id_x();
  o[1] = __builtin_amdgcn_cluster_id_y();
  o[2] = __builtin_amdgcn_cluster_workgroup_flat_id();
  o[3] = __builtin_amdgcn_cluster_workgroup_max_flat_id();
}
