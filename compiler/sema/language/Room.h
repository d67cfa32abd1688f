// Room `language`: statements, expressions, calls, definitions: dispatches to all rooms above.
//
// May include: compiler/text, compiler/syntax, compiler/dialect, compiler/sema/value, compiler/sema/module,
// compiler/sema/elaborator, compiler/sema/number, compiler/sema/memory, compiler/sema/tensor, compiler/sema/control,
// compiler/sema/prelude, compiler/sema/isa, compiler/sema/amd, compiler/sema/check.
#pragma once
