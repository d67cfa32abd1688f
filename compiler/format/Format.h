// The usual form of a .fly file: `flyc fmt`.
//
//   * blocks are indented by four; between words there is one space or none, as in PEP 8;
//   * a line that can be broken inside brackets has at most 100 columns; breaks in the source are kept. The text after
//     a break is aligned with the first word after the bracket, or indented by four if the break directly follows the
//     bracket. A value without brackets that is too long gets parentheses;
//   * two blank lines around definitions at the top level, one around those in a block; elsewhere blank lines are kept,
//     at most two at the top level and one in a block;
//   * comments stay with the lines that they are on or above; trailing comments that are aligned stay aligned;
//   * strings are as written.
//
// Apart from that, the words of a file and their order never change, and its tree never does. Formatting a formatted
// file changes nothing.
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
