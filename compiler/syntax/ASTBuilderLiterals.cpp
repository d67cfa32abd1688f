// Literals: integers of any size, floats, strings with their escapes, adjacent strings joined.
#include "compiler/syntax/ASTBuilder.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Error.h"

namespace fly {

using namespace ast;

namespace {

constexpr size_t maxDigits = 4300; ///< conversion takes time that grows with the square

struct Escape {
  char letter, value;
};
const Escape escapes[] = {{'\\', '\\'}, {'\'', '\''}, {'"', '"'},  {'n', '\n'}, {'t', '\t'},
                          {'r', '\r'},  {'a', '\a'},  {'b', '\b'}, {'f', '\f'}, {'v', '\v'}};

struct HexEscape {
  char letter;
  size_t digits;
};
const HexEscape hexEscapes[] = {{'x', 2}, {'u', 4}, {'U', 8}};

} // namespace

Expr *ASTBuilder::number(antlr4::Token *symbol) {
  std::string digits = textOf(symbol);
  std::erase(digits, '_');
  if (symbol->getType() == FlyParser::INTEGER) {
    auto *made = make<IntExpr>(rangeOf(symbol));
    llvm::StringRef text = digits;
    const unsigned radix = text.size() < 2                    ? 10
                           : text[1] == 'x' || text[1] == 'X' ? 16
                           : text[1] == 'o' || text[1] == 'O' ? 8
                           : text[1] == 'b' || text[1] == 'B' ? 2
                                                              : 10;
    if (radix != 10)
      text = text.drop_front(2);
    llvm::APInt value;
    if (text.size() > maxDigits) {
      session.report(diag::bad_number, rangeOf(symbol))
          .arg(text.take_front(12) + "...")
          .arg("an integer has up to " + llvm::Twine(maxDigits) + " digits");
    } else if (!text.getAsInteger(radix, value)) { // fails for words that were reported when they were read
      made->value = llvm::DynamicAPInt(value.zext(value.getBitWidth() + 1));
    }
    return made;
  }
  auto *made = make<FloatExpr>(rangeOf(symbol));
  llvm::APFloat value(llvm::APFloat::IEEEdouble());
  if (digits.size() > maxDigits) {
    session.report(diag::bad_number, rangeOf(symbol))
        .arg(llvm::StringRef(digits).take_front(12) + "...")
        .arg("a float has up to " + llvm::Twine(maxDigits) + " digits");
    return made;
  }
  auto status = value.convertFromString(digits, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
  } else if (value.isInfinity()) {
    session.report(diag::bad_number, rangeOf(symbol))
        .arg(digits)
        .arg("it is larger than every float; infinity is `inf`");
    return made;
  }
  made->value = value.convertToDouble();
  return made;
}

ASTBuilder::Quoted ASTBuilder::unquote(antlr4::Token *symbol) {
  const SourceRange range = rangeOf(symbol);
  llvm::StringRef text = session.text.slice(range.begin, range.end);
  const size_t prefix = text.find_first_of("'\"");
  Quoted result{range.begin + prefix, range.end, false, false};
  for (char c : text.take_front(prefix)) {
    bool &flag = llvm::toLower(c) == 'r' ? result.raw : result.formatted;
    if (flag || (llvm::toLower(c) != 'r' && llvm::toLower(c) != 'f')) {
      session.report(session.range(range.begin, range.begin + prefix),
                     diag::bad_string_prefix{.prefix = text.take_front(prefix).str()});
      break;
    }
    flag = true;
  }
  text = text.drop_front(prefix);
  const bool isLong = text.starts_with("\"\"\"") || text.starts_with("'''");
  const size_t quote = isLong ? 3 : 1;
  // A string without its end was reported when it was read.
  if (text.size() < 2 * quote || !text.ends_with(text.take_front(quote)) || session.isSpoilt(symbol->getLine())) {
    result.begin = result.end;
    return result;
  }
  result.begin += quote;
  result.end -= quote;
  return result;
}

std::string ASTBuilder::decode(size_t begin, size_t end, bool raw) {
  std::string result;
  const llvm::StringRef text = session.text;
  for (size_t i = begin; i < end; ++i) {
    if (text[i] == '\r' && i + 1 < end && text[i + 1] == '\n')
      continue; // line ends are \n
    if (text[i] != '\\' || raw || i + 1 >= end) {
      result += text[i];
      continue;
    }
    const size_t start = i++;
    const char letter = text[i];
    if (letter == '\n')
      continue; // joined lines
    if (letter == '\r') {
      if (i + 1 < end && text[i + 1] == '\n')
        ++i;
      continue;
    }
    const Escape *simple = nullptr;
    for (const Escape &row : escapes)
      if (row.letter == letter)
        simple = &row;
    if (simple) {
      result += simple->value;
      continue;
    }
    unsigned codePoint = 0;
    bool good = false;
    if (letter >= '0' && letter <= '7') {
      size_t stop = i;
      while (stop < end && stop < i + 3 && text[stop] >= '0' && text[stop] <= '7')
        codePoint = codePoint * 8 + (text[stop++] - '0');
      i = stop - 1;
      good = true;
    }
    for (const HexEscape &row : hexEscapes)
      if (row.letter == letter) {
        llvm::StringRef digits = text.slice(i + 1, std::min(end, i + 1 + row.digits));
        good = digits.size() == row.digits && llvm::all_of(digits, llvm::isHexDigit) &&
               !digits.getAsInteger(16, codePoint);
        if (good)
          i += row.digits;
      }
    char buffer[4], *at = buffer;
    if (good && llvm::ConvertCodePointToUTF8(codePoint, at)) {
      result.append(buffer, at);
    } else {
      // The whole character after the backslash, which may have several bytes.
      size_t stop = i + 1;
      while (stop < end && (static_cast<unsigned char>(text[stop]) & 0xC0) == 0x80)
        ++stop;
      const bool known = llvm::StringRef("xuUN").contains(letter);
      session.report(session.range(start, stop), diag::bad_escape{.what = "`" + text.slice(start, stop).str() +
                                                                          (known ? "` without a valid code after it"
                                                                                 : "` is not an escape sequence")});
    }
  }
  return result;
}

// STRING+
Expr *ASTBuilder::strings(FlyParser::AtomContext *context) {
  std::vector<Quoted> parts;
  bool formatted = false;
  for (Node *node : context->children) {
    parts.push_back(unquote(token(node)));
    formatted |= parts.back().formatted;
  }
  if (!formatted) {
    auto *made = make<StringExpr>(rangeOf(context));
    for (const Quoted &part : parts)
      made->value += decode(part.begin, part.end, part.raw);
    return made;
  }
  auto *made = make<FStringExpr>(rangeOf(context));
  for (const Quoted &part : parts) {
    if (part.formatted)
      fstring(part, made->parts);
    else
      made->parts.push_back({decode(part.begin, part.end, part.raw), nullptr, ""});
  }
  // Text next to text is one part.
  std::vector<FStringExpr::Part> merged;
  for (FStringExpr::Part &part : made->parts) {
    if (!part.value && part.text.empty())
      continue;
    if (!part.value && !merged.empty() && !merged.back().value)
      merged.back().text += part.text;
    else
      merged.push_back(std::move(part));
  }
  made->parts = std::move(merged);
  for (const FStringExpr::Part &part : made->parts) {
    hang(made, part.value);
    hang(made, part.format);
  }
  return made;
}

} // namespace fly
