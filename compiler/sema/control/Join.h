// Joins of control flow: one block whose arguments are the values that differ between the paths.
//
//     if c: x = 1.0, i             cf.cond_br %c, ^a, ^b
//     else: x = y, i        ->   ^a:  cf.br ^join(1.0)
//     use(x)                     ^b:  cf.br ^join(%y)
//                                ^join(%x: f32): ...                     x is (%x, %i)
//
// The sides of a branch, the `break`s and the normal end of a loop, the `continue`s and the end of its body, and the
// `return`s of a function all meet here, so that there is one rule for what can be joined: machine values of one
// type, literals that fit it, equal compile-time values, the same tensor; tuples, lists, dicts and structs of one
// shape part by part.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// How a message describes the join.
/// What the author knows of a condition.
enum class Odds { Unknown, Likely, Unlikely };

struct Meeting {
  SourceRange range;       ///< the statement or expression
  SourceRange condition;   ///< what decides the way
  const char *what;        ///< "an `if`", "a loop"; null for the returns of a function
  bool wantsValue = false; ///< the edges' values are joined instead of their variables
  Odds odds = Odds::Unknown;
};

/// Continues elaboration where the edges join, with the joined variables in the frame. A single edge needs no block.
/// Does nothing if there is no edge, because the place is unreachable. Reports variables that cannot be joined.
std::optional<Value> join(Elaborator &e, std::vector<Edge> edges, const Meeting &meeting);

/// Makes a block after the current one (which has no terminator yet) and continues in it.
mlir::Block *startBlock(Elaborator &e);

/// Whether two values need no choice between them: the same machine value, tensor or fragment, or equal ones of compile
/// time.
bool isSame(const Value &a, const Value &b);

} // namespace fly::sema
