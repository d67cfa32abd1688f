// Metadata with keys and kinds of arguments that flyc has no use for, and more SGPRs than can be named.
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.text
.globl a
.p2align 8
.type a,@function
a:
  s_load_dwordx2 s[4:5], s[0:1], 0
  s_waitcnt lgkmcnt(0)
  s_setprio 3
  s_barrier
  s_endpgm
.La: .size a, .La-a
.rodata
.p2align 6
.amdhsa_kernel a
  .amdhsa_group_segment_fixed_size 163840
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 512
  .amdhsa_accum_offset 256
  .amdhsa_next_free_sgpr 102
  .amdhsa_kernarg_size 88
  .amdhsa_uses_dynamic_stack 1
  .amdhsa_private_segment_fixed_size 16
  .amdhsa_enable_private_segment 1
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx950
other.vendor: {x: 1, y: [a, b]}
amdhsa.printf: ['1:1:4:%d\n']
amdhsa.kernels:
  - .name: a
    .symbol: a.kd
    .language: OpenCL C
    .language_version: [2, 0]
    .kernarg_segment_size: 88
    .group_segment_fixed_size: 163840
    .private_segment_fixed_size: 16
    .kernarg_segment_align: 16
    .wavefront_size: 64
    .sgpr_count: 112
    .vgpr_count: 512
    .agpr_count: 256
    .max_flat_workgroup_size: 256
    .uniform_work_group_size: 1
    .uses_dynamic_stack: true
    .workgroup_processor_mode: 0
    .unknown_key: 7
    .vec_type_hint: float4
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global, .actual_access: read_only, .name: in}
      - {.size: 8, .offset: 8, .value_kind: dynamic_shared_pointer, .address_space: local, .pointee_align: 4}
      - {.size: 12, .offset: 16, .value_kind: by_value, .name: 'lambda'}
      - {.size: 8, .offset: 32, .value_kind: image, .address_space: global}
      - {.size: 8, .offset: 40, .value_kind: sampler}
      - {.size: 8, .offset: 48, .value_kind: queue}
      - {.size: 8, .offset: 56, .value_kind: hidden_none}
      - {.size: 8, .offset: 64, .value_kind: hidden_hostcall_buffer}
      - {.size: 2, .offset: 72, .value_kind: hidden_group_size_x}
      - {.size: 4, .offset: 76, .value_kind: hidden_dynamic_lds_size}
      - {.size: 8, .offset: 80, .value_kind: hidden_multigrid_sync_arg, .name: 'a b.c'}
...
.end_amdgpu_metadata
