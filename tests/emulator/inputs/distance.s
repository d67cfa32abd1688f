// Kernels whose instructions come too close on one path only, and one in which a wave ends before a barrier.
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
	  .amdhsa_next_free_vgpr 16
	  .amdhsa_next_free_sgpr 16
	  .amdhsa_accum_offset 16
	.end_amdhsa_kernel
.endm

kernel shorter_path
	s_cmp_eq_u32 s0, s0
	v_mov_b32_e32 v1, v0
	s_cbranch_scc1 .Lshorter
	s_nop 0
.Lshorter:
	v_mov_b32_dpp v2, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
end shorter_path

kernel longer_path
	s_cmp_lg_u32 s0, s0
	v_mov_b32_e32 v1, v0
	s_cbranch_scc1 .Llonger
	s_nop 0
.Llonger:
	v_mov_b32_dpp v2, v1 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf
end longer_path

// The second wave ends. It is the first one that is late if waves run in descending order.
kernel ends_early
	v_readfirstlane_b32 s0, v0
	s_cmp_gt_u32 s0, 63
	s_cbranch_scc1 .Lends
	s_barrier
.Lends:
	s_nop 0
end ends_early
