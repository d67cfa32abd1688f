// Subscripts and methods of host arrays.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

std::vector<host::Subscript> hostSubscripts(Elaborator &e, const Values &items, SourceRange range);
/// `x[items]`: numbers, slices, and arrays of integers, which stand next to each other and are broadcast to one shape.
Value indexArray(Elaborator &e, const ArrayValue &array, const Values &items, SourceRange range);
Value arrayMethod(Elaborator &e, const ArrayValue &array, llvm::StringRef name, Arguments &arguments,
                  SourceRange range);

} // namespace fly::sema
