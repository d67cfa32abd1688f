// Room `tensor`: layouts, coordinates and views: tensors, fragments, coordinate tensors, LDS.
//
// May include: compiler/text, compiler/diagnostics, compiler/layout, compiler/dialect, compiler/analysis,
// compiler/sema/value, compiler/sema/elaborator, compiler/sema/isa, compiler/sema/number, compiler/sema/memory.
#pragma once
