// Room `atom`: copy atoms and tiled copies in the language, and what is checked of a copy.
//
// May include: compiler/atom, compiler/dialect, compiler/analysis, compiler/sema/elaborator,
// compiler/sema/memory, compiler/sema/tensor, compiler/sema/prelude.
#pragma once
