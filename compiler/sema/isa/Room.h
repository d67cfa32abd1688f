// Room `isa`: kernels with `isa=True`: registers, labels, the ABI and calls of instructions, recorded as a stream.
//
// May include: compiler/text, compiler/isa, compiler/assembly, compiler/sema/value, compiler/sema/elaborator.
#pragma once
