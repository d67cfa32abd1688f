// Kernels for PitfallTest.cpp that say in their descriptors what a compiler would not: written by hand, for gfx9 and
// gfx12 alike. Kernel arguments: a pointer, then what each kernel takes. No metadata.

.macro wait
.if .amdgcn.gfx_generation_number >= 12
  s_wait_kmcnt 0x0
.else
  s_waitcnt lgkmcnt(0)
.endif
.endm

.macro begin name
.text
.globl \name
.p2align 8
.type \name,@function
\name:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  s_load_dwordx2 s[6:7], s[0:1], 0x8
  wait
.endm

// A descriptor may hold no .if, so there are two of it.
.if .amdgcn.gfx_generation_number >= 12
.macro descriptor name, round, denormal, ids
.amdhsa_kernel \name
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 16
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_system_sgpr_workgroup_id_y 0
  .amdhsa_system_sgpr_workgroup_id_z 0
  .amdhsa_system_vgpr_workitem_id \ids
  .amdhsa_float_round_mode_32 \round
  .amdhsa_float_denorm_mode_32 \denormal
.end_amdhsa_kernel
.endm
.else
.macro descriptor name, round, denormal, ids
.amdhsa_kernel \name
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 16
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_system_sgpr_workgroup_id_y 0
  .amdhsa_system_sgpr_workgroup_id_z 0
  .amdhsa_system_vgpr_workitem_id \ids
  .amdhsa_float_round_mode_32 \round
  .amdhsa_float_denorm_mode_32 \denormal
  .amdhsa_accum_offset 8
.end_amdhsa_kernel
.endm
.endif

.macro describe name, round=0, denormal=3, ids=0
  s_endpgm
\name\()_end:
.size \name, \name\()_end - \name
.section .rodata
.p2align 6
descriptor \name, \round, \denormal, \ids
.endm

// out[lane] = a + b in single precision, under the descriptor's rounding and denormal mode
.macro add name, round, denormal
begin \name
  v_mov_b32 v1, s6
  v_add_f32 v1, s7, v1
  v_lshlrev_b32 v0, 2, v0
  global_store_dword v0, v1, s[4:5]
describe \name, \round, \denormal
.endm

add add_nearest, 0, 3
add add_up, 1, 3
add add_down, 2, 3
add add_to_zero, 3, 3
add add_flush, 0, 0
add add_flush_out, 0, 1
add add_flush_in, 0, 2

// out[x + bx * (y + by * z)] = v0, whatever v0 is; s6 bx, s7 by
begin raw_item_id
  v_and_b32 v1, 0x3ff, v0
  v_bfe_u32 v2, v0, 10, 10
  v_bfe_u32 v3, v0, 20, 10
  v_mul_lo_u32 v3, v3, s7
  v_add_u32 v2, v2, v3
  v_mul_lo_u32 v2, v2, s6
  v_add_u32 v1, v1, v2
  v_lshlrev_b32 v1, 2, v1
  global_store_dword v1, v0, s[4:5]
describe raw_item_id, 0, 3, 2

// out[x of the workgroup] += 1 for each work-item; only the workgroup's x is enabled
begin count_by_x
.if .amdgcn.gfx_generation_number >= 12
  s_lshl_b32 s8, ttmp9, 2
.else
  s_lshl_b32 s8, s2, 2
.endif
  v_mov_b32 v1, s8
  v_mov_b32 v2, 1
  global_atomic_add v1, v2, s[4:5]
describe count_by_x
