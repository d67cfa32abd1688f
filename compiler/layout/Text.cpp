// The text forms: CuTe's notation, with annotations for dynamic leaves.
//
//   layout := tuple `:` tuple
//   tuple  := `(` [ tuple { `,` tuple } [ `,` ] ] `)` | leaf
//   leaf   := [`-`] digits | `_` | `?` [ `{` note { `,` note } `}` ]
//   note   := `i32` | `i64` | `div` `=` digits
//
// `(8)` is a tuple of one element, as CuTe prints it.
#include "compiler/layout/Layout.h"

namespace fly::layout {

std::string leafAnnotation(const Leaf &leaf) {
  std::string notes = leaf.bits == 64 ? "i64" : "";
  if (leaf.divisibility != 1)
    notes += (notes.empty() ? "div=" : ",div=") + std::to_string(leaf.divisibility);
  return notes.empty() ? notes : "{" + notes + "}";
}

std::string leafText(const Leaf &leaf) {
  if (leaf.isStatic())
    return std::to_string(leaf.value);
  return leaf.isKeep() ? "_" : "?" + leafAnnotation(leaf);
}

std::string IntTuple::text() const {
  if (isLeaf())
    return leafText(leaf());
  std::string result = "(";
  for (std::size_t i = 0; i < elements.size(); ++i)
    result += (i ? "," : "") + elements[i].text();
  return result + ")";
}

std::string Layout::text() const { return shapeTree.text() + ":" + strideTree.text(); }

namespace {

/// A cursor over the text; each function reads what it is named for and returns an Error with the place otherwise.
class TextReader {
public:
  explicit TextReader(std::string_view text) : text(text) {}

  Result<IntTuple> readTuple(unsigned depth = 0) {
    if (!accept('('))
      return readLeaf();
    if (depth == maximumDepth)
      return fail("a tuple nests deeper than " + std::to_string(maximumDepth) + " levels");
    std::vector<IntTuple> elements;
    while (!accept(')')) {
      if (!elements.empty() && !accept(','))
        return fail("expected `,` or `)`");
      if (!elements.empty() && accept(')'))
        break;
      FLY_TRY(element, readTuple(depth + 1));
      elements.push_back(std::move(element));
    }
    return IntTuple(std::move(elements));
  }

  bool accept(char wanted) {
    while (position < text.size() && (text[position] == ' ' || text[position] == '\t'))
      ++position;
    if (position == text.size() || text[position] != wanted)
      return false;
    ++position;
    return true;
  }

  bool atEnd() {
    accept('\0');
    return position == text.size();
  }

  Error fail(const std::string &what) const {
    return {what + " at character " + std::to_string(position + 1) + " of `" + std::string(text) + "`"};
  }

private:
  Result<IntTuple> readLeaf() {
    if (accept('_'))
      return IntTuple(Leaf::keep());
    if (accept('?'))
      return readDynamic();
    bool negative = accept('-');
    FLY_TRY(value, readNumber());
    return IntTuple(Leaf::known(negative ? -value : value));
  }

  Result<IntTuple> readDynamic() {
    Leaf leaf = Leaf::dynamic();
    if (accept('{')) {
      do {
        if (acceptWord("i64")) {
          leaf.bits = 64;
        } else if (acceptWord("div")) {
          if (!accept('='))
            return fail("expected `=`");
          FLY_TRY(divisibility, readNumber());
          if (divisibility < 1)
            return fail("a divisibility must be at least 1");
          leaf.divisibility = divisibility;
        } else if (!acceptWord("i32")) {
          return fail("expected `i32`, `i64` or `div=`");
        }
      } while (accept(','));
      if (!accept('}'))
        return fail("expected `}`");
    }
    return IntTuple(leaf);
  }

  bool acceptWord(std::string_view word) {
    accept('\0');
    if (text.substr(position, word.size()) != word)
      return false;
    position += word.size();
    return true;
  }

  Result<std::int64_t> readNumber() {
    accept('\0');
    std::int64_t value = 0;
    std::size_t start = position;
    for (; position < text.size() && text[position] >= '0' && text[position] <= '9'; ++position)
      if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text[position] - '0', &value))
        return fail("a number does not fit in 64 bits");
    if (position == start)
      return fail("expected an integer, `?`, `_` or `(`");
    return value;
  }

  std::string_view text;
  std::size_t position = 0;
};

} // namespace

Result<IntTuple> parseIntTuple(std::string_view text) {
  TextReader reader(text);
  FLY_TRY(tuple, reader.readTuple());
  if (!reader.atEnd())
    return reader.fail("unexpected text");
  return tuple;
}

Result<Layout> parseLayout(std::string_view text) {
  TextReader reader(text);
  FLY_TRY(shape, reader.readTuple());
  if (!reader.accept(':'))
    return reader.fail("expected `:` between shape and stride");
  FLY_TRY(stride, reader.readTuple());
  if (!reader.atEnd())
    return reader.fail("unexpected text");
  return makeLayout(std::move(shape), std::move(stride));
}

} // namespace fly::layout
