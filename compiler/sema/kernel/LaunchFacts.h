// What the preconditions of a kernel promise about its launch-time values.
#pragma once

#include "compiler/host/HostExpr.h"

#include <map>

namespace fly::sema {

/// Divisibility: parameter index to divisor.
using Facts = std::map<unsigned, int64_t>;

/// Adds facts about parameters from `x % d == 0`, alone or in a conjunction.
void collectFacts(const host::Expr &expr, Facts &facts);
/// A number that divides the expression's value, at least 1.
int64_t divisorOf(const host::Expr &expr, const Facts &facts);

} // namespace fly::sema
