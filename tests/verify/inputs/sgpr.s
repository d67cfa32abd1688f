; For gfx1201. VALU reads s4, SALU writes it, and VALU reads it once more: `waits` waits for the write.
.macro kernel name
	.text
	.globl \name
	.p2align 8
	.type \name,@function
\name:
	v_mov_b32_e32 v0, s4
	s_mov_b32 s4, 1
.endm
.macro end name
	v_mov_b32_e32 v1, s4
	s_endpgm
.Lend_\name:
	.size \name, .Lend_\name-\name
	.section .rodata
	.p2align 6
	.amdhsa_kernel \name
	  .amdhsa_next_free_vgpr 8
	  .amdhsa_next_free_sgpr 8
	.end_amdhsa_kernel
.endm

kernel waits
	s_wait_alu depctr_sa_sdst(0)
end waits

kernel reads_early
	s_nop 0
end reads_early
