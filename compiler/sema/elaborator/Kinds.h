// The kinds of compile-time values that an annotation may require: `Constexpr[int]`, `n: int`, `f: str`.
//
//     int   float   bool   str   type   tuple   list   dict   layout   a struct
//     a machine type (a number that fits it)
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// Whether the annotation is a kind: a name of the list above.
bool isKind(const Value &annotation);
/// "an int", "a type": for messages.
std::string kindText(const Value &kind);
/// The value as one of the kind; an int is a float too. None if it is none.
std::optional<Value> asKind(const Value &value, const Value &kind);
/// The value of a kernel's `Constexpr` parameter; reports one of another kind.
Value checkConstant(Elaborator &e, const std::string &what, const ast::Parameter &parameter, Value value,
                    SourceRange range);

} // namespace fly::sema
