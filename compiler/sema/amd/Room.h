// Room `amd`: the module `fly.amd`: explicit buffer accesses, the tensor mover, waits, exact instructions.
//
// May include: compiler/text, compiler/target, compiler/protocol, compiler/dialect, compiler/isa, compiler/sema/value,
// compiler/sema/module, compiler/sema/elaborator, compiler/sema/isa, compiler/sema/tensor, compiler/sema/prelude,
// compiler/sema/atom.
#pragma once
