// Messages about values that a loop carries.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// For a complaint that a value is none of compile time: points at the loop that carries it, if one does.
void labelCarrier(Elaborator &e, DiagnosticBuilder &builder, const MachineValue &value);

} // namespace fly::sema
