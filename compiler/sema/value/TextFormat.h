// Compile-time values as text: Python's shortest floats, and its format specifications.
//
//     f"{x:>8.3f}"   f"{n:#06x}"   f"{n:,}"   f"{ratio:.1%}"   f"{name:^{width}}"
#pragma once

#include "compiler/sema/value/Value.h"

namespace fly::sema {

/// As Python writes it: 0.1, 1e-05, 100000.0, 1e+16, inf.
std::string floatText(double value);
/// Digits of any base from 2 to 36, with the sign.
std::string integerText(const Int &value, unsigned base);
/// The integer that a text in the base means, as Python's `int(text, base)` reads it; base 0 takes it from the prefix.
std::optional<Int> parseInteger(llvm::StringRef text, unsigned base);

/// Formats `value` by Python's format mini-language. Returns none if the specification does not fit, and `error` says
/// why.
std::optional<std::string> formatted(const Value &value, llvm::StringRef spec, std::string &error);

} // namespace fly::sema
