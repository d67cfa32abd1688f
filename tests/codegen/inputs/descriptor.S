// A kernel whose descriptor is written word by word.
	.text
	.protected words
	.globl words
	.p2align 8
	.type words,@function
words:
	s_endpgm
.Lend:
	.size words, .Lend-words
	.section .rodata,"a"
	.protected words.kd
	.globl words.kd
	.p2align 6
	.type words.kd,@object
words.kd:
	.long 0, 0, 8, 0
	.quad words-words.kd
	.long 0, 0, 0, 0, 0
	.long RSRC3, RSRC1, 0x84, PROPERTIES, 0
	.size words.kd, 64
