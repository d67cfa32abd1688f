// Room `elaborator`: the evaluator's contract, and what all rooms below need of it: binding of arguments, kinds,
// suggestions, trials.
//
// May include: compiler/diagnostics, compiler/target, compiler/dialect, compiler/sema/value, compiler/sema/module.
#pragma once
