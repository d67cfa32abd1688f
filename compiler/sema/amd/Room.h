// Room `amd`: the module `fly.amd`: explicit buffer accesses, the tensor mover, waits.
//
// May include: compiler/dialect, compiler/sema/value, compiler/sema/module, compiler/sema/elaborator,
// compiler/sema/tensor, compiler/sema/prelude, compiler/sema/atom.
#pragma once
