// A pipelined loop whose wait is off by one: the load of the previous iteration may still be under way. No metadata.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.text
	.globl early
	.p2align 8
	.type early,@function
early:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v0, s[4:5]
	global_load_dword v2, v0, s[4:5] offset:4
	s_mov_b32 s8, 0
.Lloop:
	s_waitcnt vmcnt(1)
	v_add_f32_e32 v3, v1, v3
	v_add_f32_e32 v3, v2, v3
	global_load_dword v1, v0, s[4:5]
	s_add_u32 s8, s8, 1
	s_cmp_lt_u32 s8, 10
	s_cbranch_scc1 .Lloop
	s_waitcnt vmcnt(0)
	global_store_dword v0, v3, s[6:7]
	s_endpgm
.Lend:
	.size early, .Lend-early
	.section .rodata
	.p2align 6
	.amdhsa_kernel early
	  .amdhsa_next_free_vgpr 8
	  .amdhsa_next_free_sgpr 16
	  .amdhsa_accum_offset 8
	  .amdhsa_user_sgpr_kernarg_segment_ptr 1
	  .amdhsa_kernarg_size 16
	.end_amdhsa_kernel
