// What a program finds without a file: functions that need no import, and modules that are part of the compiler.
// compiler/sema/Sema.h has the one of flyc.
#pragma once

#include "compiler/sema/value/Builtin.h"
#include "compiler/sema/value/Scope.h"

namespace fly::sema {

class ModuleLoader;

struct Environment {
  BuiltinTable builtins;
  /// A module that is part of the compiler; null if there is none of that name.
  ModuleScope *(*builtinModule)(ModuleLoader &loader, llvm::StringRef dotted);
};

} // namespace fly::sema
