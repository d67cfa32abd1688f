// A kernel's machine code with the place in the source of each instruction, for checks of what we have linked.
#pragma once

#include "compiler/isa/CodeObject.h"

#include <optional>
#include <vector>

namespace fly::driver {

/// None if it cannot be decoded; whoever needs that reports it.
std::optional<std::vector<isa::Instruction>> placedCode(const isa::CodeObject &object, const isa::Kernel &kernel);

} // namespace fly::driver
