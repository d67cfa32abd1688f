.amdgcn_target "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"
// What hand-written kernels have: settings in the target, code before the entry, symbols without a size, jumps to an
// address in registers, a branch over 36 KB and back, data in the code, calls, padding by different words, arguments in
// registers, names that are no identifiers, and the most SGPRs that a wave can have.
.text
  s_nop 0
  s_endpgm
.protected a_kernel
.globl a_kernel
.p2align 8
.type a_kernel,@function
a_kernel:
  s_and_b32 s1, s1, 0x0000ffff
  s_load_dwordx4 s[8:11], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s14, 0x80000000
  s_getpc_b64 s[20:21]
  s_add_u32 s20, s20, 0x10
  s_addc_u32 s21, s21, 0
  s_setpc_b64 s[20:21]
  v_mov_b32 v0, 0
  s_nop 7
  s_cmp_lg_u32 s8, 0
  s_cbranch_scc1 far
  s_endpgm
  s_nop 0
  s_nop 0
  .fill 9000, 4, 0x7e000280
far:
  v_add_f32 v1, v1, v0
  s_cmp_lg_u32 s9, 0
  s_cbranch_scc1 a_kernel
  s_endpgm
  .long 0xbf9f0000
  .fill 64, 4, 0xbf9f0000
  .p2align 8
.globl b_kernel
.type b_kernel,@function
b_kernel:
  s_cbranch_execz b_end
  s_trap 2
  .long 0xdeadbeef, 0x12345678, 0
b_end:
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  s_endpgm
.Lb: .size b_kernel, .Lb-b_kernel
  .fill 48, 4, 0xbf800000
.globl c_kernel
.type c_kernel,@function
.p2align 8
c_kernel:
  s_mov_b64 s[2:3], exec
c_loop:
  s_sub_u32 s4, s4, 1
  s_cmp_eq_u32 s4, 0
  s_cbranch_scc0 c_loop
  s_getpc_b64 s[30:31]
  s_add_u32 s30, s30, helper@rel32@lo+4
  s_addc_u32 s31, s31, helper@rel32@hi+12
  s_swappc_b64 s[30:31], s[30:31]
  s_endpgm
helper:
  v_mov_b32 v1, 1
  s_setpc_b64 s[30:31]
.Lc: .size c_kernel, .Lc-c_kernel
.globl d_kernel
.type d_kernel,@function
.p2align 8
d_kernel:
  s_branch d_kernel
.globl e.kernel$x
.type e.kernel$x,@function
.p2align 8
e.kernel$x:
  s_endpgm_saved
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel a_kernel
  .amdhsa_group_segment_fixed_size 65536
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_user_sgpr_kernarg_preload_length 4
  .amdhsa_user_sgpr_kernarg_preload_offset 1
  .amdhsa_next_free_vgpr 512
  .amdhsa_accum_offset 256
  .amdhsa_next_free_sgpr 102
  .amdhsa_kernarg_size 100
  .amdhsa_system_vgpr_workitem_id 2
.end_amdhsa_kernel
.amdhsa_kernel b_kernel
  .amdhsa_next_free_vgpr 8
  .amdhsa_accum_offset 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdhsa_kernel c_kernel
  .amdhsa_next_free_vgpr 8
  .amdhsa_accum_offset 8
  .amdhsa_next_free_sgpr 40
.end_amdhsa_kernel
.amdhsa_kernel d_kernel
  .amdhsa_next_free_vgpr 8
  .amdhsa_accum_offset 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdhsa_kernel e.kernel$x
  .amdhsa_next_free_vgpr 8
  .amdhsa_accum_offset 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
