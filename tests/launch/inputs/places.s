// out[i] = x[i] + n + 1000 * (workgroups in x). The metadata calls the pointer `x` a value, has padding, and an argument
// outside of the segment. `bare` has no metadata: out[i] = x[i], with x at offset 8.
.text
.p2align 8
.globl places
.type places,@function
places:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_load_dwordx4 s[8:11], s[0:1], 0x10
  s_load_dword s6, s[0:1], 0x20
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[8:9]
  s_mulk_i32 s6, 0x3e8
  s_add_u32 s6, s6, s10
  s_waitcnt vmcnt(0)
  v_add_u32_e32 v2, s6, v2
  global_store_dword v1, v2, s[4:5]
  s_endpgm
.size places, .-places
.p2align 8
.globl bare
.type bare,@function
bare:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v2, v1, s[6:7]
  s_waitcnt vmcnt(0)
  global_store_dword v1, v2, s[4:5]
  s_endpgm
.size bare, .-bare
.p2align 6
.amdhsa_kernel places
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 12
  .amdhsa_accum_offset 4
  .amdhsa_kernarg_size 36
.end_amdhsa_kernel
.amdhsa_kernel bare
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 12
  .amdhsa_accum_offset 4
  .amdhsa_kernarg_size 16
.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: places
    .symbol: places.kd
    .kernarg_segment_size: 36
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 12
    .vgpr_count: 4
    .max_flat_workgroup_size: 64
    .args:
      - {.name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: _pad0, .offset: 8, .size: 4, .value_kind: by_value}
      - {.name: padding_to_16, .offset: 12, .size: 4, .value_kind: by_value}
      - {.name: x, .offset: 16, .size: 8, .value_kind: by_value}
      - {.name: n, .offset: 24, .size: 4, .value_kind: by_value}
      - {.name: pad, .offset: 28, .size: 4, .value_kind: by_value}
      - {.offset: 32, .size: 4, .value_kind: hidden_block_count_x}
      - {.name: late, .offset: 36, .size: 4, .value_kind: by_value}
.end_amdgpu_metadata
