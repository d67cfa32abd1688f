// Subscripts of host arrays.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// `x[items]`: numbers, slices, and arrays of integers, which stand next to each other and are broadcast to one shape.
Value indexArray(Elaborator &e, const ArrayValue &array, const Values &items, SourceRange range);

} // namespace fly::sema
