// From literals to machine values, between machine types, and to numbers known at compile time.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// What an author may say of an explicit conversion.
struct Conversion {
  enum class Rounding { Nearest, HalfUp, Truncate };
  std::optional<bool> saturate;          ///< what too large a number becomes; if absent, as the format does
  Rounding rounding = Rounding::Nearest; ///< ties to even; the others are for f32 to bf16
};

mlir::Type mlirType(Elaborator &e, Type type);
/// The truth of a compile-time value.
bool truth(Elaborator &e, const Value &value, SourceRange range);
/// An i1 from a bool or a machine bool; anything else is not a condition.
MachineValue toCondition(Elaborator &e, const Value &value, SourceRange range);
/// Explicit conversion, `T(x)`.
Value convert(Elaborator &e, const Value &value, Type type, SourceRange range, const Conversion &how = {});
Value bitcast(Elaborator &e, const Value &value, Type type, SourceRange range);
/// A machine value of exactly `type`: a literal is converted (and must fit), a machine value must have it.
MachineValue toMachine(Elaborator &e, const Value &value, Type type, SourceRange range);
/// A machine value of the type it has, or that a literal takes without other evidence: i32 or f32.
MachineValue toMachine(Elaborator &e, const Value &value, SourceRange range);
/// The literals of a choice, converted to a type.
mlir::Value selectLiteral(Elaborator &e, const LiteralChoice &choice, Type type, SourceRange range);
int64_t requireInt(Elaborator &e, const Value &value, SourceRange range, llvm::StringRef what);
Type requireType(Elaborator &e, const Value &value, SourceRange range, llvm::StringRef what);
/// Takes `saturate=` and `round=` out of a conversion's arguments; another keyword is an error. `what` names the
/// conversion.
Conversion takeConversion(Elaborator &e, Arguments &arguments, llvm::StringRef what);

} // namespace fly::sema
