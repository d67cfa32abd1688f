// The prelude as a table: every name that needs no import, with its signature, a sentence for the manual and the
// function that elaborates a call. One file a family: BuiltinsMath.cpp, BuiltinsFloat.cpp, BuiltinsInteger.cpp,
// BuiltinsDevice.cpp, BuiltinsWave.cpp, BuiltinsSequence.cpp, BuiltinsNumbers.cpp, BuiltinsCheck.cpp,
// BuiltinsLayout.cpp, BuiltinsAlgebra.cpp, BuiltinsTuple.cpp, BuiltinsTensor.cpp, BuiltinsCopy.cpp, BuiltinsGather.cpp.
#pragma once

#include "compiler/sema/value/Builtin.h"
#include "compiler/sema/elaborator/Elaborator.h"

#include <vector>

namespace fly::sema {

/// All of them, by name.
const Builtin *findBuiltin(llvm::StringRef name);
std::vector<const Builtin *> allBuiltins();
/// Names of the prelude that are not functions: types, `thread_id`, `inf`, ...
std::optional<Value> preludeValue(Elaborator &elaborator, llvm::StringRef name, SourceRange range);
/// Those that are not types, each with a sentence for the manual.
std::vector<std::pair<std::string, std::string>> preludeConstants();
/// Every name that needs no import, for look-up and for suggestions.
const std::vector<std::string> &preludeNames();

/// Binds a call's arguments to the signature; reports count, unknown keywords and missing ones.
BoundCall bindBuiltin(Elaborator &elaborator, const Builtin &builtin, Arguments &arguments, SourceRange range);

/// The name of a parameter of the signature.
std::string parameterName(const Builtin &builtin, size_t index);
std::string argumentName(const BoundCall &call, size_t index); ///< "`x` of `ldexp`"

llvm::ArrayRef<Builtin> mathBuiltins();
llvm::ArrayRef<Builtin> floatBuiltins();
llvm::ArrayRef<Builtin> integerBuiltins();
/// x to the power of y, of floats at any binding time (BuiltinsFloat.cpp).
Value floatPower(Elaborator &e, const Value &x, const Value &y, SourceRange range, SourceRange xRange,
                 SourceRange yRange);
llvm::ArrayRef<Builtin> deviceBuiltins();
llvm::ArrayRef<Builtin> sequenceBuiltins();
llvm::ArrayRef<Builtin> numberBuiltins();
llvm::ArrayRef<Builtin> checkBuiltins();
llvm::ArrayRef<Builtin> waveBuiltins();
llvm::ArrayRef<Builtin> launchBuiltins();
llvm::ArrayRef<Builtin> layoutBuiltins();
llvm::ArrayRef<Builtin> algebraBuiltins();
llvm::ArrayRef<Builtin> tupleBuiltins();
llvm::ArrayRef<Builtin> tensorBuiltins();
llvm::ArrayRef<Builtin> copyBuiltins();
llvm::ArrayRef<Builtin> gatherBuiltins();
/// `tiled_mma`, `gemm` (TiledMma.cpp), `UniversalFMA`; and the matrix instructions of `fly.amd` (MmaAtom.cpp).
llvm::ArrayRef<Builtin> mmaBuiltins();
llvm::ArrayRef<Builtin> universalFmaBuiltins();
llvm::ArrayRef<Builtin> mmaAtomBuiltins();
/// `UniversalAtomic` (AtomicCopies.cpp).
llvm::ArrayRef<Builtin> universalAtomicBuiltins();
/// Names of `fly.amd`: buffers, and the atoms of AMD's instructions.
llvm::ArrayRef<Builtin> bufferBuiltins();
llvm::ArrayRef<Builtin> ldsCopyBuiltins();
llvm::ArrayRef<Builtin> atomicCopyBuiltins();
/// `buffer_load` and `buffer_store` of `fly.amd` (BufferAccess.cpp).
llvm::ArrayRef<Builtin> bufferAccessBuiltins();
/// `tensor_load` and `tensor_store` of `fly.amd` (TensorMoves.cpp).
llvm::ArrayRef<Builtin> tensorMoveBuiltins();
/// `sched` of `fly.amd` (Scheduling.cpp).
llvm::ArrayRef<Builtin> schedulingBuiltins();
/// `wait` (Waits.cpp).
llvm::ArrayRef<Builtin> waitBuiltins();

} // namespace fly::sema
