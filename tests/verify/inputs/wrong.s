// A kernel per verdict and rule; ten lines each, which docs/verify.md shows with what `flyc verify` says. No metadata.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.macro kernel name
	.text
	.globl \name
	.p2align 8
	.type \name,@function
\name:
.endm
.macro end name
	s_endpgm
.Lend_\name:
	.size \name, .Lend_\name-\name
	.section .rodata
	.p2align 6
	.amdhsa_kernel \name
	  .amdhsa_next_free_vgpr 128
	  .amdhsa_next_free_sgpr 16
	  .amdhsa_accum_offset 64
	  .amdhsa_user_sgpr_kernarg_segment_ptr 1
	.end_amdhsa_kernel
.endm

kernel right
	global_load_dword v1, v0, s[2:3]
	s_waitcnt vmcnt(0)
	v_add_f32_e32 v2, v1, v1
end right

kernel on_one_path
	global_load_dword v1, v0, s[2:3]
	s_cbranch_scc1 .Lskip
	s_waitcnt vmcnt(0)
.Lskip:
	v_add_f32_e32 v2, v1, v1
end on_one_path

kernel overwritten
	global_load_dword v1, v0, s[2:3]
	v_mov_b32_e32 v1, 0
	s_waitcnt vmcnt(0)
end overwritten

kernel product_read_early
	v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]
	s_nop 5
	v_add_f32_e32 v8, v0, v0
end product_read_early

kernel address_from_lanes
	v_readfirstlane_b32 s4, v0
	s_mov_b32 s5, 0
	s_nop 2
	global_load_dword v2, v3, s[4:5]
	s_waitcnt vmcnt(0)
end address_from_lanes

kernel calls
	s_getpc_b64 s[4:5]
	s_swappc_b64 s[30:31], s[4:5]
end calls

kernel barrier_on_one_path
	v_cmp_gt_u32_e32 vcc, 64, v0
	s_cbranch_vccz .Laround
	ds_write_b32 v0, v1
	s_barrier
.Laround:
	s_barrier
end barrier_on_one_path
