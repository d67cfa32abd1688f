// Conversions from and to i4 and u4, which only store numbers.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// Whether the type is i4 or u4, or a vector of them.
inline bool isSmallInteger(Type type) { return type.format().isInteger() && type.format().isStorage(); }

/// To an integer or float with arithmetic. Exact, but for negative numbers in unsigned types, which wrap.
MachineValue fromSmallInteger(Elaborator &e, MachineValue from, Type to, SourceRange range);
/// From an integer with arithmetic: its low four bits.
MachineValue toSmallInteger(Elaborator &e, MachineValue from, Type to, SourceRange range);

} // namespace fly::sema
