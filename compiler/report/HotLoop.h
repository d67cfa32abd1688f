// The loop that a kernel most likely spends its time in, by what is in it.
//
// Nothing is known of how often a loop runs, so this is a rule:
//
//   1. Among the loops with matrix instructions and without an inner loop that has some, the one with the most.
//   2. If no loop has any, the same with instructions on memory (vector, scalar, LDS) and vector arithmetic.
//   3. Of equals the more deeply nested one, then the one at the lowest address.
//
// Irreducible loops take part. A loop without any of these instructions (one that polls) is never hot.
#pragma once

#include "compiler/report/Loops.h"

namespace fly::report {

/// Its index; -1 if there is none.
int hotLoop(const Code &code, llvm::ArrayRef<Loop> loops);

} // namespace fly::report
