// Shared by the tests of the code generator: parse a text of the LLVM dialect, compile it.
#pragma once

#include "compiler/codegen/pipeline/Compile.h"

#include <string>

namespace fly::codegen::testing {

/// Compiles a textual module of the LLVM and ROCDL dialects.
Result<Object> compile(const std::string &text, const target::Target &target, const Options &options = {});

/// A kernel `name` that stores `%value` (an f32 computed by `body` from the loaded `%x`) at thread_id.x, located in
/// copy.fly.
std::string kernelModule(const std::string &name, const std::string &body = "%value = llvm.fadd %x, %x : f32");

} // namespace fly::codegen::testing
