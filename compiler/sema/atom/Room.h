// Room `atom`: copy atoms, tiled copies, and what a copy becomes.
//
// May include: compiler/layout, compiler/dialect, compiler/analysis, compiler/sema/elaborator, compiler/sema/memory,
// compiler/sema/tensor, compiler/sema/control, compiler/sema/prelude.
#pragma once
