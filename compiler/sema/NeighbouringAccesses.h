// Single accesses of a thread that lie next to each other (t[4 * i], t[4 * i + 1], ...), as one wide access could take them. LLVM
// joins most of them: whether these were, the machine code says (compiler/driver/NarrowAccesses.h).
#pragma once

#include "compiler/sema/Elaborator.h"

namespace fly::sema {

/// Accesses of one kind to one tensor that are known to begin where a wider access may.
struct NeighbouringAccesses {
  std::vector<SourceRange> ranges;       ///< where they are in the source, in order
  bool isWrite = false, isLds = false, isBuffer = false;
  int64_t bits = 0, legalBits = 0;       ///< of each; of the widest access that is legal instead
  bool isOfTurns = false;                ///< neighbours are those of the next turn of a loop
};

/// Those of the kernel that was elaborated last, if -Wperf asks for them; its module still stands.
std::vector<NeighbouringAccesses> neighbouringAccesses(Elaborator &e);

} // namespace fly::sema
