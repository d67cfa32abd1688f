// Scaled products of gfx1250, with blocks of 32 and of 16. OLDER: the prefix with the scales as assemblers before
// LLVM 22 wrote it, with 0 in the field of the third source, which means nothing. ALONE: a prefix without its WMMA.
.macro prefix opcode, scales
.ifdef OLDER
  .long \opcode << 16, \scales
.else
  .long \opcode << 16, \scales | 0x100 << 18
.endif
.endm
.text
.p2align 8
.globl scaled
.type scaled,@function
scaled:
  s_load_b64 s[4:5], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 6, v0
  .set r, 32
  .rept 48
    v_mul_u32_u24_e32 v2, r * 0x10305, v0
    v_and_b32_e32 v[r], 0x37b7b737, v2     // no NaN in fp8 and fp4
    .set r, r + 1
  .endr
  v_and_b32_e32 v98, 0x03010702, v2        // scales of 2^-4 to 2^3
  v_or_b32_e32 v98, 0x7b7c787d, v98
  v_xor_b32_e32 v99, 0x01020102, v98
  v_xor_b32_e32 v100, 0x02010003, v98
  v_xor_b32_e32 v101, 0x00030201, v98
.ifdef ALONE
  prefix 0xcc35, 0x2c962
  v_nop
.endif
  // v_wmma_scale_f32_16x16x128_f8f6f4 v[4:11], v[32:47], v[64:79], 0, v98, v100, then scale16 to v[12:19]
  prefix 0xcc35, 0x2c962
  .long 0xcc330004, 0x02028120
  prefix 0xcc3a, 0x2c962
  .long 0xcc33000c, 0x02028120
  // v_wmma_scale_f32_32x16x128_f4 v[4:19], v[32:47], v[64:71], v[4:19], v98, v100, then scale16
  prefix 0xcc35, 0x2c962
  .long 0xcc884004, 0x1c128120
  prefix 0xcc3a, 0x2c962
  .long 0xcc884004, 0x1c128120
  s_wait_kmcnt 0x0
  global_store_b128 v1, v[4:7], s[4:5]
  global_store_b128 v1, v[8:11], s[4:5] offset:16
  global_store_b128 v1, v[12:15], s[4:5] offset:32
  global_store_b128 v1, v[16:19], s[4:5] offset:48
  s_endpgm
.size scaled, .-scaled
.p2align 6
.amdhsa_kernel scaled
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 112
  .amdhsa_next_free_sgpr 8
  .amdhsa_kernarg_size 8
.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: scaled
    .symbol: scaled.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 8
    .vgpr_count: 112
    .max_flat_workgroup_size: 32
    .args:
      - {.name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
.end_amdgpu_metadata
