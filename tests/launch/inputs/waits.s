// Two missing waits: out[i] = in[i] + 1 + in[i + 64], for 64 work-items. `again` has them in a loop of three turns.
.text
.p2align 8
.globl two_waits
.type two_waits,@function
two_waits:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[6:7]
  global_load_dword v3, v1, s[6:7] offset:256
  v_add_u32_e32 v4, 1, v2
  v_add_u32_e32 v5, v4, v3
  global_store_dword v1, v5, s[4:5]
  s_endpgm
.size two_waits, .-two_waits
.p2align 8
.globl again
.type again,@function
again:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v4, 0
  s_mov_b32 s8, 3
  s_waitcnt lgkmcnt(0)
0:
  global_load_dword v2, v1, s[6:7]
  v_add_u32_e32 v4, v4, v2
  s_sub_u32 s8, s8, 1
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 0b
  global_store_dword v1, v4, s[4:5]
  s_endpgm
.size again, .-again
.p2align 6
.amdhsa_kernel two_waits
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 6
  .amdhsa_next_free_sgpr 10
  .amdhsa_accum_offset 8
  .amdhsa_kernarg_size 16
.end_amdhsa_kernel
.amdhsa_kernel again
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 6
  .amdhsa_next_free_sgpr 10
  .amdhsa_accum_offset 8
  .amdhsa_kernarg_size 16
.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: two_waits
    .symbol: two_waits.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 10
    .vgpr_count: 6
    .max_flat_workgroup_size: 64
    .args:
      - {.name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: in, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: again
    .symbol: again.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 10
    .vgpr_count: 6
    .max_flat_workgroup_size: 64
    .args:
      - {.name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: in, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
.end_amdgpu_metadata
