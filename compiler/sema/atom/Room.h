// Room `atom`: copy atoms, MMA atoms, tiled copies and tiled MMAs in the language, and what is checked of a copy and a
// product.
//
// May include: compiler/text, compiler/atom, compiler/dialect, compiler/analysis, compiler/sema/value,
// compiler/sema/elaborator, compiler/sema/memory, compiler/sema/tensor, compiler/sema/prelude.
#pragma once
