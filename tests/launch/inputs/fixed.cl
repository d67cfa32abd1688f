// A workgroup's size that the code object states.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void fixed_size(__global int *out) {
  out[__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x()] = 7;
}
