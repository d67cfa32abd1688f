// A note that was copied from another kernel: the descriptor allocates 460 vector registers (256 VGPRs, 204 AGPRs) and
// 4096 bytes of LDS, the note says otherwise. The second argument lies outside of the kernel's arguments.
.text
.p2align 8
.globl wrong_note
.type wrong_note,@function
wrong_note:
  s_endpgm
.size wrong_note, .-wrong_note
.p2align 6
.amdhsa_kernel wrong_note
  .amdhsa_group_segment_fixed_size 4096
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 460
  .amdhsa_next_free_sgpr 40
  .amdhsa_accum_offset 256
  .amdhsa_kernarg_size 16
.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: wrong_note
    .symbol: wrong_note.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 40
    .vgpr_count: 256
    .max_flat_workgroup_size: 256
    .args:
      - {.name: a, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: pad, .offset: 16, .size: 4, .value_kind: by_value}
.end_amdgpu_metadata
