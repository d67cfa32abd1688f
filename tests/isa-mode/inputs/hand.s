	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdhsa_code_object_version 5
	.text
	.globl	hand
	.p2align	8
	.type	hand,@function
hand:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	v_lshlrev_b32_e32 v0, 2, v0
	s_mov_b32 s6, 3
	s_waitcnt lgkmcnt(0)
	global_load_dword v2, v0, s[4:5]
	v_mov_b32_e32 v3, 1.0
	v_accvgpr_write_b32 a0, v3
	s_waitcnt vmcnt(0)
.Ltop:
	v_add_f32_e64 v2, -v2, |v3| clamp
	v_cmp_lt_f32_e32 vcc, 0, v2
	s_and_b64 exec, exec, vcc
	s_nop 4
	v_mov_b32_dpp v3, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
	; a literal where the assembler takes an inline constant
	.long 0x7e0202ff, 0x00000001
	s_branch .Lover
	; data
	.long 0xffffffff, 0xfffffffe
.Lover:
	s_sub_u32 s6, s6, 1
	s_cmp_lg_u32 s6, 0
	s_cbranch_scc1 .Ltop
	v_mov_b32_e32 v4, v0
	v_mov_b32_e32 v5, 0
	v_lshl_add_u64 v[4:5], s[4:5], 0, v[4:5]
	global_store_dword v[4:5], v2, off
	s_endpgm
.Lend:
	.size	hand, .Lend-hand
	.section	.rodata,"a",@progbits
	.p2align	6
	.amdhsa_kernel hand
		.amdhsa_group_segment_fixed_size 256
		.amdhsa_kernarg_size 24
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 9
		.amdhsa_next_free_sgpr 7
		.amdhsa_accum_offset 8
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.kernels:
  - .name: hand
    .symbol: hand.kd
    .agpr_count: 1
    .args:
      - .name: x
        .address_space: global
        .offset: 0
        .size: 8
        .value_kind: global_buffer
      - .name: n
        .offset: 8
        .size: 4
        .value_kind: by_value
      - .name: y
        .address_space: global
        .offset: 16
        .size: 8
        .value_kind: global_buffer
    .group_segment_fixed_size: 256
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 64
    .reqd_workgroup_size: [64, 1, 1]
    .private_segment_fixed_size: 0
    .sgpr_count: 13
    .vgpr_count: 9
    .wavefront_size: 64
amdhsa.version: [1, 2]
...
	.end_amdgpu_metadata
