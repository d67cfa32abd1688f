// Families of builtins of this room.
#pragma once

#include "compiler/sema/value/Builtin.h"

namespace fly::sema {

llvm::ArrayRef<Builtin> copyBuiltins();
llvm::ArrayRef<Builtin> gatherBuiltins();
/// `tiled_mma`, `gemm` (TiledMma.cpp).
llvm::ArrayRef<Builtin> mmaBuiltins();
/// `UniversalFMA` (MmaAtom.cpp).
llvm::ArrayRef<Builtin> universalFmaBuiltins();
/// `UniversalAtomic` (AtomicCopies.cpp).
llvm::ArrayRef<Builtin> universalAtomicBuiltins();

// Names of `fly.amd`: buffers, and the atoms of AMD's instructions.
llvm::ArrayRef<Builtin> mmaAtomBuiltins();
llvm::ArrayRef<Builtin> bufferBuiltins();
llvm::ArrayRef<Builtin> ldsCopyBuiltins();
llvm::ArrayRef<Builtin> atomicCopyBuiltins();

} // namespace fly::sema
