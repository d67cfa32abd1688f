// What the assembler's modifiers are called, on all targets: what an author may have meant by a name that none of them
// has.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace fly::isa {

/// Whether some instruction of some target has a modifier, or a field that is written as one, of this name.
bool isModifierName(llvm::StringRef name);

/// The names nearest to this one; empty if none is near.
std::vector<std::string> modifierNamesNear(llvm::StringRef name);

/// Fields of s_waitcnt, s_wait_alu and s_delay_alu, of all targets.
llvm::ArrayRef<const char *> fieldNames();

} // namespace fly::isa
