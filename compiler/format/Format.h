// The usual form of a .fly file: `flyc fmt`.
//
//   * blocks are indented by four; between words there is one space or none, as in PEP 8;
//   * a line has up to 100 columns if it can be broken inside brackets; the author's own breaks there stay. What follows
//     a break stands below the first word behind the bracket, or four further in if the break is right behind it. A
//     value without brackets that is too long gets parentheses;
//   * two blank lines around definitions at the top level, one around those in a block, and elsewhere the author's, at
//     most two at the top level and one in a block;
//   * comments stay with the lines they are on or above; those behind code that stand in one column stay in one;
//   * strings are as written.
//
// Else the words of a file and their order never change, and its tree never does. Formatting what is formatted changes
// nothing.
#pragma once

#include "compiler/diagnostics/Diagnostics.h"

#include <optional>
#include <string>

namespace fly {

/// The formatted text of a registered file. None after diagnostics, either from the parser or because the result would
/// have a different meaning (a bug of the formatter, caught here).
std::optional<std::string> formatFile(FileId file, DiagnosticEngine &diags);

/// A statement, or an expression formatted as inside brackets (where `=` and `:` have no spaces), on one line and
/// without comments.
std::string formatInOneLine(llvm::StringRef text, bool isExpression);

} // namespace fly
