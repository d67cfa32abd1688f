// Room `elaborator`: the evaluator's interface, and what all rooms after it need: binding of arguments, kinds,
// suggestions, trials.
//
// May include: compiler/text, compiler/diagnostics, compiler/target, compiler/dialect, compiler/sema/value,
// compiler/sema/module.
#pragma once
