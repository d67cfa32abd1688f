// See Lexer.h. A number's type follows from its spelling: 0x.. are bits, 1 is signed, 1U is not, 1.0 is a double, 1.0F
// a float; the prefix overrides the width that this implies.
#include "tests/emulator/pseudocode/Lexer.h"

#include <bit>
#include <cctype>
#include <cstdlib>

namespace fly::pseudocode {

namespace {

class Lexer {
public:
  explicit Lexer(const std::string &s) : s(s) {}
  std::vector<Token> run() {
    std::vector<Token> all;
    for (;;) {
      Token t = next();
      all.push_back(t);
      if (t.kind == Token::End) return all;
    }
  }

private:
  const std::string &s;
  size_t p = 0;
  char at(size_t k = 0) const { return p + k < s.size() ? s[p + k] : '\0'; }

  Token next() {
    for (;;) {
      while (std::isspace(static_cast<unsigned char>(at()))) ++p;
      if (at() == '/' && at(1) == '/')
        while (at() && at() != '\n') ++p;
      else break;
    }
    Token t;
    if (!at()) return t;
    size_t begin = p;
    if (std::isalpha(static_cast<unsigned char>(at())) || at() == '_') {
      while (std::isalnum(static_cast<unsigned char>(at())) || at() == '_') ++p;
      t.kind = Token::Word;
      t.text = s.substr(begin, p - begin);
      return t;
    }
    if (std::isdigit(static_cast<unsigned char>(at()))) return number();
    if (at() == '"') {
      ++p;
      while (at() && at() != '"') ++p;
      ++p;
      t.kind = Token::String;
      return t;
    }
    static const char *const symbols[] = {"<<", ">>", "<=", ">=", "==", "!=", "<>", "&&",
                                          "||", "**", "+=", "-=", "*=", "|=", "&=", "+:"};
    t.kind = Token::Symbol;
    for (const char *y : symbols)
      if (s.compare(p, 2, y) == 0) {
        t.text = y;
        p += 2;
        return t;
      }
    t.text = std::string(1, s[p++]);
    return t;
  }

  Token number() {
    Token t;
    t.kind = Token::Number;
    size_t q = p;
    while (std::isdigit(static_cast<unsigned char>(s[q]))) ++q;
    if (s[q] == '\'') {
      t.width = std::atoi(s.c_str() + p);
      p = q + 1;
      if (!std::isdigit(static_cast<unsigned char>(at()))) { // a cast or a type: the word follows
        t.text = "'";
        return t;
      }
    }
    size_t begin = p;
    if (at() == '0' && at(1) == 'x') {
      p += 2;
      Wide v = 0;
      unsigned digits = 0;
      while (std::isxdigit(static_cast<unsigned char>(at()))) {
        char c = static_cast<char>(std::tolower(at()));
        v = v << 4 | static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
        ++p, ++digits;
      }
      t.value = integer(v, t.width, Type::Bits, digits > 8);
      return t;
    }
    while (std::isdigit(static_cast<unsigned char>(at()))) ++p;
    if (at() == '.' && std::isdigit(static_cast<unsigned char>(at(1)))) {
      ++p;
      while (std::isdigit(static_cast<unsigned char>(at()))) ++p;
      double d = std::atof(s.substr(begin, p - begin).c_str());
      bool single = at() == 'F';
      if (single) ++p;
      int width = t.width > 0 ? t.width : single ? 32 : 64;
      Type type{Type::Float, static_cast<uint16_t>(width)};
      if (width == 64) t.value = {type, std::bit_cast<uint64_t>(d)};
      else if (width == 32) t.value = {type, std::bit_cast<uint32_t>(static_cast<float>(d))};
      else t.value = {type, static_cast<Wide>(d == 0 ? 0 : std::bit_cast<uint16_t>(static_cast<_Float16>(d)))};
      return t;
    }
    Wide v = 0;
    for (size_t k = begin; k < p; ++k) v = v * 10 + static_cast<unsigned>(s[k] - '0');
    t.value = integer(v, t.width, Type::Signed, false);
    return t;
  }

  Value integer(Wide v, int width, Type::Kind kind, bool large) {
    unsigned longs = 0;
    if (at() == 'U') {
      kind = Type::Unsigned;
      ++p;
    }
    while (at() == 'L') {
      ++longs;
      ++p;
    }
    if (longs && kind == Type::Bits) kind = Type::Signed;
    unsigned bits = width > 0 ? static_cast<unsigned>(width) : longs || large ? 64 : 32;
    return {{kind, static_cast<uint16_t>(bits)}, v};
  }
};

} // namespace

std::vector<Token> tokenize(const std::string &source) { return Lexer(source).run(); }

} // namespace fly::pseudocode
