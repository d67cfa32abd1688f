// A WMMA whose result is read too early, and a pair that is wrong by itself. Nothing follows the
// code. No metadata.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.text
	.globl hazards
	.p2align 8
	.type hazards,@function
hazards:
	v_wmma_f32_16x16x32_f16 v[16:23], v[0:7], v[8:15], v[16:23]
	v_mov_b32_e32 v25, 0
	v_nop
	v_add_f32_e32 v24, v16, v25
	v_dual_add_f64 v[0:1], v[2:3], v[4:5] :: v_dual_add_f32 v7, v0, v11
	s_endpgm
.Lend:
	.size hazards, .Lend-hazards
	.section .rodata
	.p2align 6
	.amdhsa_kernel hazards
	  .amdhsa_next_free_vgpr 32
	  .amdhsa_next_free_sgpr 16
	.end_amdhsa_kernel
