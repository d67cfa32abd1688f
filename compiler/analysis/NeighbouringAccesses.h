// Single accesses of a thread that lie next to each other (t[4 * i], t[4 * i + 1], ...), as one wide access could take
// them. LLVM joins most of them: whether these were, the machine code says (compiler/object_checks/NarrowAccesses.h).
#pragma once

#include "compiler/analysis/Context.h"

namespace fly::analysis {

/// Accesses of one kind to one tensor that are known to begin where a wider access may.
struct NeighbouringAccesses {
  std::vector<SourceRange> ranges; ///< where they are in the source, in order
  bool isWrite = false, isLds = false, isBuffer = false;
  int64_t bits = 0, legalBits = 0; ///< of each; of the widest access that is legal instead
  bool isOfTurns = false;          ///< neighbours are those of the next turn of a loop
};

/// Those of the kernel, if -Wperf asks for them.
std::vector<NeighbouringAccesses> neighbouringAccesses(const Context &context);

} // namespace fly::analysis
