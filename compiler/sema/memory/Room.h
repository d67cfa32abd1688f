// Room `memory`: pointers, accesses, atomics, cache policies.
//
// May include: compiler/target, compiler/dialect, compiler/sema/elaborator.
#pragma once
