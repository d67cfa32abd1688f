// Divergent branches by fork and join, one within the other; no compiler writes them any more. Kernel arguments: where the 64
// lanes' results go, and after them the trace: a bit for each side walked, in order, 1 for the side jumped to.
// The stack of forks is in s[0:7].
.text
.globl forks
.p2align 8
.type forks,@function
forks:
  s_load_dwordx2 s[16:17], s[0:1], 0x0
  v_mov_b32 v1, 0
  s_mov_b32 s30, 1
  s_mov_b64 s[26:27], exec
  s_mov_b32 s20, 0
  v_cmp_gt_u32 vcc, 40, v0
  s_cbranch_i_fork vcc, below
  s_lshl_b32 s30, s30, 1                // 40-63: the fewer, so first
  v_add_u32 v1, 1, v1
  s_mov_b64 s[28:29], exec
  s_mov_b32 s21, 1
  v_cmp_lt_u32 s[22:23], 41, v0
  s_getpc_b64 s[24:25]
here:
  s_add_u32 s24, s24, above-here
  s_addc_u32 s25, s25, 0
  s_cbranch_g_fork s[22:23], s[24:25]
  s_lshl_b32 s30, s30, 1                // 40, 41: again the fewer
  v_add_u32 v1, 16, v1
  s_branch inner
above:
  s_lshl_b32 s30, s30, 1                // 42-63
  s_or_b32 s30, s30, 1
  v_add_u32 v1, 32, v1
inner:
  s_cbranch_join s21
  s_mov_b64 exec, s[28:29]
  v_add_u32 v1, 64, v1
  s_branch outer
below:
  s_lshl_b32 s30, s30, 1                // 0-39
  s_or_b32 s30, s30, 1
  v_add_u32 v1, 2, v1
outer:
  s_cbranch_join s20
  s_mov_b64 exec, s[26:27]
  s_mov_b64 s[22:23], 0
  s_cbranch_i_fork s[22:23], never      // no lane: goes on
  s_mov_b64 s[22:23], -1
  s_cbranch_i_fork s[22:23], always     // every lane: jumps
never:
  v_add_u32 v1, 0x1000, v1
always:
  v_add_u32 v1, 0x100, v1
  v_lshlrev_b32 v2, 2, v0
  s_waitcnt lgkmcnt(0)
  global_store_dword v2, v1, s[16:17]
  v_mov_b32 v1, s30
  v_mov_b32 v2, 0
  global_store_dword v2, v1, s[16:17] offset:256
  s_endpgm
forks_end:
.size forks, forks_end - forks

.rodata
.p2align 6
.amdhsa_kernel forks
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 8
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 32
  .amdhsa_accum_offset 8
.end_amdhsa_kernel
