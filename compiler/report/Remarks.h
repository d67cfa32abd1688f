// What a reader of a report should know of a kernel besides its figures: where the metadata note and the kernel
// descriptor contradict each other, arguments that are never read, registers that the code names in two ways.
#pragma once

#include "compiler/report/Code.h"

#include <string>
#include <vector>

namespace fly::report {

/// One sentence each, without a full stop; empty for code that is not a kernel.
std::vector<std::string> remarksOf(const isa::CodeObject &object, const Code &code);

} // namespace fly::report
