// The prelude: every name that needs no import. One file a family: BuiltinsMath.cpp, BuiltinsFloat.cpp, ...
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"
#include "compiler/sema/value/Builtin.h"

namespace fly::sema {

llvm::ArrayRef<Builtin> mathBuiltins();
llvm::ArrayRef<Builtin> floatBuiltins();
llvm::ArrayRef<Builtin> integerBuiltins();
llvm::ArrayRef<Builtin> deviceBuiltins();
llvm::ArrayRef<Builtin> waveBuiltins();
llvm::ArrayRef<Builtin> sequenceBuiltins();
llvm::ArrayRef<Builtin> numberBuiltins();
llvm::ArrayRef<Builtin> tupleBuiltins();

/// Names that are not functions: types, `thread_id`, `inf`, ...
std::optional<Value> preludeValue(Elaborator &e, llvm::StringRef name, SourceRange range);
/// Those that are not types, each with a sentence for the manual.
std::vector<std::pair<std::string, std::string>> preludeConstants();
/// Every name that needs no import, for look-up and for suggestions.
std::vector<std::string> preludeNames(const BuiltinTable &builtins);

/// x to the power of y, of floats at any binding time (BuiltinsFloat.cpp).
Value floatPower(Elaborator &e, const Value &x, const Value &y, SourceRange range, SourceRange xRange,
                 SourceRange yRange);

} // namespace fly::sema
