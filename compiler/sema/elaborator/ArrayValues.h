// Host arrays as operands and results.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// An array, or a number as an array of one element.
host::HostArray arrayOperand(Elaborator &e, const Value &value, SourceRange range);
Value fromArray(Elaborator &e, host::ArrayResult result, SourceRange range);

} // namespace fly::sema
