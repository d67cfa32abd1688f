// Room `control`: run-time branches and loops, and where paths join.
//
// May include: compiler/syntax, compiler/dialect, compiler/sema/value, compiler/sema/elaborator, compiler/sema/number,
// compiler/sema/memory, compiler/sema/tensor.
#pragma once
