"""Writes hostile.s: a kernel with a name that is markup, in lines that are markup.

    hostile.py FOLDER
"""
import pathlib
import sys

name = "</script><img src=x onerror=alert(1)>"
path = pathlib.Path(sys.argv[1]) / "hostile.s"
path.write_bytes(f'''.text
.globl "{name}"
.p2align 8
.type "{name}",@function
"{name}": ; </script><script>alert(2)</script>
  v_mov_b32_e32 v0, 0 ; <!-- <script> '''.encode() + b"\xff\xfe \x01" + f'''
  v_add_f32_e32 v1, v0, v0 ; &lt; "quoted" \\u003c
  s_endpgm
.Lend:
.size "{name}", .Lend-"{name}"
.rodata
.p2align 6
.amdhsa_kernel "{name}"
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
  .amdhsa_accum_offset 8
.end_amdhsa_kernel
'''.encode())
