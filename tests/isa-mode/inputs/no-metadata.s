	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.text
	.globl _Z3addPf
	.p2align 8
	.type _Z3addPf,@function
_Z3addPf:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v0, 2, v0
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, inside-.-4
	s_addc_u32 s5, s5, 0
	s_load_dword s6, s[4:5], 0x0
	s_getpc_b64 s[4:5]
	s_add_u32 s4, s4, constant@rel32@lo+4
	s_addc_u32 s5, s5, constant@rel32@hi+12
	s_load_dword s7, s[4:5], 0x0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v200, s6
	global_store_dword v0, v200, s[2:3]
	s_endpgm
inside:
	.long 1, 2, 0, 0
.Lend:
	.size _Z3addPf, .Lend-_Z3addPf
	.type constant,@object
constant:
	.long 7
	.size constant, 4
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel _Z3addPf
		.amdhsa_next_free_vgpr 201
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 204
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 8
		.amdhsa_tg_split 1
		.amdhsa_exception_int_div_zero 1
	.end_amdhsa_kernel
