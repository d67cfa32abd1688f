// Tokens of the pseudocode. A literal with its width (16'1.0, 1'0U) is one token; of a cast (32'F(x)) or a type only
// the width and the quote are, the letters after them come as a word.
#pragma once

#include "tests/emulator/pseudocode/Value.h"

#include <string>
#include <vector>

namespace fly::pseudocode {

struct Token {
  enum Kind { End, Word, Number, Symbol, String } kind = End;
  std::string text;
  Value value;    // Number
  int width = -1; // of the prefix 16'
};

/// The last token is an End.
std::vector<Token> tokenize(const std::string &source);

} // namespace fly::pseudocode
