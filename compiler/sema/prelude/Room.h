// Room `prelude`: functions that need no import: mathematics, sequences, wave operations, output, clusters.
//
// May include: compiler/text, compiler/host, compiler/layout, compiler/dialect, compiler/sema/value,
// compiler/sema/elaborator, compiler/sema/number, compiler/sema/memory, compiler/sema/tensor.
#pragma once
