// What could be faster, of a partition: found from layouts alone, said with -Wperf.
#pragma once

#include "compiler/sema/TiledCopy.h"

namespace fly::sema {

/// `owned` is the tensor by ((threads, values), rest): how the lanes of a wave reach it in one access of the atom.
void checkPerformance(Elaborator &e, const TiledCopy &copy, const Value &tensor, const Value &owned, bool isWrite, SourceRange range);

} // namespace fly::sema
