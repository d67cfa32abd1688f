// The words of a file as they are written, comments and line ends among them: what the parser throws away and a
// formatter must keep. Any bytes have words; whether they make sense is the parser's business.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace fly {

// clang-format off
enum class WordKind : uint8_t {
  Name,      ///< also `True`, `False`, `None`: words that are values
  Keyword, Number, String,
  Open, Close, Comma, Colon, Semicolon, Dot, Arrow,
  Assign,    ///< `=`
  Operator,  ///< `+`, `<=`, `*`, `@`, `+=`, ...
  Newline,   ///< also inside brackets
  Comment,   ///< from `#` to the end of the line
  Join,      ///< a backslash and the line end after it
  Wrong,     ///< what no valid file has
};
// clang-format on

struct Word {
  WordKind kind;
  uint32_t begin, end; ///< bytes of the text
};

/// Blanks are between the words; a byte order mark is skipped.
std::vector<Word> readWords(llvm::StringRef text);

} // namespace fly
