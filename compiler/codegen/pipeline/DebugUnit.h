// One unit of debug information for a code object (DWARF 4).
//
// Each kernel is compiled to an object with a unit of its own, so a linked file would have as many units of one source
// file as it has kernels. Debuggers then list the file once per kernel. Here the units of the objects become one: line
// tables, a subprogram per function, and what was inlined into it.
#pragma once

#include "compiler/codegen/pipeline/Compile.h"

#include <string>
#include <vector>

namespace fly::codegen {

/// A relocatable object with the debug information of `objects`, whose own is marked as not to be linked. Empty if they
/// have none, or if there is other information than flyc's, as in bitcode that was linked in: it stays as it is then. The
/// failure is an error of LLVM's assembler, which cannot happen.
Result<std::string> mergedDebugInfo(std::vector<std::string> &objects, const target::Target &target);

} // namespace fly::codegen
