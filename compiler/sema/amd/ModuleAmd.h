// The module `fly.amd`, and those in it.
#pragma once

#include "compiler/sema/value/Builtin.h"
#include "compiler/sema/value/Scope.h"

namespace fly::sema {

class ModuleLoader;

/// `fly.amd`, `fly.amd.isa`, `fly.amd.sched`, `fly.amd.reg`; null for another name.
ModuleScope *amdModuleOf(ModuleLoader &loader, llvm::StringRef dotted);

/// `buffer_load` and `buffer_store` (BufferAccess.cpp).
llvm::ArrayRef<Builtin> bufferAccessBuiltins();
/// `tensor_load` and `tensor_store` (TensorMoves.cpp).
llvm::ArrayRef<Builtin> tensorMoveBuiltins();
/// `sched` (Scheduling.cpp).
llvm::ArrayRef<Builtin> schedulingBuiltins();
/// `wait` (Waits.cpp).
llvm::ArrayRef<Builtin> waitBuiltins();

} // namespace fly::sema
