// What a build writes for callers outside of C and C++, on request: `--emit=python` and `--emit=tvm-ffi`.
#pragma once

#include "compiler/artifact/ModuleInfo.h"

namespace fly::artifact {

/// A Python module whose attributes are the functions of NAME.json beside it, through the package `flyc`.
std::string toPythonModule(const ModuleInfo &module);
/// Its types, for editors and type checkers: a .pyi file.
std::string toPythonStub(const ModuleInfo &module);
/// A C source with a function for each of those of NAME.h, callable through Apache TVM's FFI.
std::string toTvmFfi(const ModuleInfo &module);

} // namespace fly::artifact
