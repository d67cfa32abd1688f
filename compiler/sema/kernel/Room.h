// Room `kernel`: from a kernel or `@launch` function and its constants to Fly IR and launch information; alone calls
// the analyses.
//
// May include: compiler/syntax, compiler/host, compiler/dialect, compiler/analysis, compiler/artifact,
// compiler/assembly, compiler/sema/value, compiler/sema/elaborator, compiler/sema/number, compiler/sema/memory,
// compiler/sema/tensor, compiler/sema/prelude, compiler/sema/isa.
#pragma once
