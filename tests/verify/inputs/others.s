// What code of others has, as findings of each class. `copies` and `early` copy 64 numbers from x to y.
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
	  .amdhsa_group_segment_fixed_size 256
	  .amdhsa_next_free_vgpr 128
	  .amdhsa_next_free_sgpr 102
	  .amdhsa_accum_offset 64
	  .amdhsa_user_sgpr_kernarg_segment_ptr 1
	  .amdhsa_kernarg_size 16
	.end_amdhsa_kernel
.endm

// M0 just before a load from a buffer to LDS.
kernel copies
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	s_mov_b64 s[10:11], s[6:7]
	s_movk_i32 s6, 0x100
	s_mov_b32 s7, 0x27000
	v_lshlrev_b32_e32 v0, 2, v0
	s_mov_b32 m0, 0
	buffer_load_dword v0, s[4:7], 0 offen lds
	s_waitcnt vmcnt(0)
	ds_read_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	global_store_dword v0, v1, s[10:11]
end copies

// The same with an instruction that the manual's table names.
kernel copies_globally
	s_mov_b32 m0, 0
	global_load_lds_dword v0, s[4:5]
	s_waitcnt vmcnt(0)
end copies_globally

// The first product has 8 passes, the second one waits for it.
kernel products
	v_mfma_f32_32x32x8_f16 v[0:15], v[64:65], v[66:67], v[0:15]
	v_mfma_f32_32x32x8_f16 v[16:31], v[64:65], v[66:67], v[16:31]
	v_mfma_f32_32x32x8_f16 v[32:47], v[64:65], v[66:67], v[32:47]
	v_add_f32_e32 v48, v0, v0
end products

kernel products_read_early
	v_mfma_f32_32x32x8_f16 v[0:15], v[64:65], v[66:67], v[0:15]
	v_mfma_f32_32x32x8_f16 v[16:31], v[64:65], v[66:67], v[16:31]
	v_add_f32_e32 v48, v0, v0
end products_read_early

kernel loaded_twice
	s_load_dwordx2 s[96:97], s[0:1], 0x8
	s_load_dword s96, s[0:1], 0x8
	s_waitcnt lgkmcnt(0)
end loaded_twice

kernel loaded_over
	s_load_dwordx2 s[96:97], s[0:1], 0x8
	s_load_dword s96, s[0:1], 0xc
	s_waitcnt lgkmcnt(0)
end loaded_over

// A wait is missing.
kernel early
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	v_lshlrev_b32_e32 v0, 2, v0
	global_load_dword v1, v0, s[4:5]
	global_store_dword v0, v1, s[6:7]
end early

	.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.kernels:
  - {.name: copies, .symbol: copies.kd, .kernarg_segment_size: 16, .group_segment_fixed_size: 256, .private_segment_fixed_size: 0, .kernarg_segment_align: 8, .wavefront_size: 64, .sgpr_count: 102, .vgpr_count: 128, .max_flat_workgroup_size: 64, .args: [{.name: x, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}, {.name: y, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}]}
  - {.name: early, .symbol: early.kd, .kernarg_segment_size: 16, .group_segment_fixed_size: 256, .private_segment_fixed_size: 0, .kernarg_segment_align: 8, .wavefront_size: 64, .sgpr_count: 102, .vgpr_count: 128, .max_flat_workgroup_size: 64, .args: [{.name: x, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}, {.name: y, .size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}]}
	.end_amdgpu_metadata
