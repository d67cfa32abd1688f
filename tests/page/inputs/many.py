"""An assembly file for gfx942 with a kernel of so many instructions.

    many.py COUNT > many.s
"""
import sys

count = int(sys.argv[1])
print(""".text
.globl many
.p2align 8
.type many,@function
many:
  s_load_dwordx2 s[0:1], s[0:1], 0x0
  v_lshlrev_b32_e32 v0, 2, v0
  s_waitcnt lgkmcnt(0)""")
for i in range(count - 6):
    register = 1 + i * 7 % 200
    print(f"  v_add_f32_e32 v{register}, v{1 + i * 3 % 200}, v{register}" if i % 50 else f"  global_load_dword v{register}, v0, s[0:1]")
print("""  s_waitcnt vmcnt(0)
  global_store_dword v0, v1, s[0:1]
  s_endpgm
.Lend:
.size many, .Lend-many
.rodata
.p2align 6
.amdhsa_kernel many
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 201
  .amdhsa_next_free_sgpr 8
  .amdhsa_accum_offset 204
.end_amdhsa_kernel""")
