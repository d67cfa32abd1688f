// The text forms: CuTe's notation, with annotations for dynamic leaves.
//
//   function := part [ `o` tuple `o` part ]                S<3,3,3> o 0 o (8,64):(64,1)
//   part     := layout | swizzle | `[` function `]`
//   swizzle  := (`S` | `Sw`) `<` number `,` number `,` number `>`
//   layout   := tuple `:` tuple
//   tile     := `<` [ entry { `;` entry } ] `>`            <4:1;_;(2,2):(1,8)>
//   entry    := tile | layout | tuple | `_`
//   tuple    := `(` [ tuple { `,` tuple } [ `,` ] ] `)` | leaf
//   leaf     := number { `@` digits } | `_` | `?` [ `{` note { `,` note } `}` ] { `@` digits }
//   note     := `i32` | `i64` | `div` `=` digits
//
// `(8)` is a tuple of one element, as CuTe prints it; `2@1@0` is 2 along mode 1 of mode 0.
#include "compiler/layout/ComposedLayout.h"

#include <utility>

namespace fly::layout {

std::string leafAnnotation(const Leaf &leaf) {
  std::string notes = leaf.bits == 64 ? "i64" : "";
  if (leaf.divisibility != 1)
    notes += (notes.empty() ? "div=" : ",div=") + std::to_string(leaf.divisibility);
  return notes.empty() ? notes : "{" + notes + "}";
}

std::string leafText(const Leaf &leaf) {
  std::string text = leaf.isStatic() ? std::to_string(leaf.value) : leaf.isKeep() ? "_" : "?" + leafAnnotation(leaf);
  for (auto mode = leaf.path.rbegin(); mode != leaf.path.rend(); ++mode)
    text += "@" + std::to_string(*mode);
  return text;
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
    skipBlanks();
    if (position == text.size() || text[position] != wanted)
      return false;
    ++position;
    return true;
  }

  bool atEnd() {
    skipBlanks();
    return position == text.size();
  }

  Result<Layout> readLayout() {
    FLY_TRY(shape, readTuple());
    return readStride(std::move(shape));
  }

  Result<AnyFunction> readFunction(unsigned depth = 0) {
    if (depth == maximumDepth)
      return fail("a composed layout nests deeper than " + std::to_string(maximumDepth) + " levels");
    FLY_TRY(inner, readPart(depth));
    if (!acceptWord("o"))
      return inner;
    // FlyDSL leaves out an offset of 0: `S<3,3,3> o 8:1`.
    IntTuple offset = 0;
    std::size_t after = (skipBlanks(), position);
    if (after < text.size() && text[after] != '[' && text[after] != 'S') {
      FLY_TRY(first, readTuple());
      if (acceptWord("o"))
        offset = std::move(first);
      else if (skipBlanks(), position < text.size() && text[position] == ':')
        position = after;
      else
        return fail("expected `o` and a layout after the offset");
    }
    skipBlanks();
    std::size_t place = position;
    FLY_TRY(outer, readPart(depth));
    auto checked = [&](AnyLayout layout) -> Result<AnyFunction> {
      FLY_TRY(composed, compose(std::move(inner), std::move(offset), std::move(layout)));
      return functionOf(composed);
    };
    if (auto *layout = std::get_if<Layout>(&outer))
      return checked(std::move(*layout));
    if (auto *composed = std::get_if<ComposedLayout>(&outer))
      return checked(std::move(*composed));
    position = place;
    return fail("a swizzle has no shape; expected a layout");
  }

  Result<Tile> readTile(unsigned depth = 0) {
    if (!accept('<'))
      return fail("expected `<`");
    if (depth == maximumDepth)
      return fail("a tile nests deeper than " + std::to_string(maximumDepth) + " levels");
    std::vector<Tile> entries;
    while (!accept('>')) {
      if (!entries.empty() && !accept(';'))
        return fail("expected `;` or `>`");
      FLY_TRY(entry, readEntry(depth));
      entries.push_back(std::move(entry));
    }
    return Tile(std::move(entries));
  }

  Error fail(const std::string &what) const {
    return {what + " at character " + std::to_string(position + 1) + " of `" + std::string(text) + "`"};
  }

private:
  void skipBlanks() {
    while (position < text.size() && (text[position] == ' ' || text[position] == '\t'))
      ++position;
  }

  Result<Layout> readStride(IntTuple shape) {
    if (!accept(':'))
      return fail("expected `:` between shape and stride");
    FLY_TRY(stride, readTuple());
    return makeLayout(std::move(shape), std::move(stride));
  }

  Result<AnyFunction> readPart(unsigned depth) {
    if (accept('[')) {
      FLY_TRY(function, readFunction(depth + 1));
      if (!accept(']'))
        return fail("expected `]`");
      return function;
    }
    if (acceptWord("Sw") || acceptWord("S")) {
      FLY_TRY(swizzle, readSwizzle());
      return AnyFunction(swizzle);
    }
    FLY_TRY(layout, readLayout());
    return AnyFunction(std::move(layout));
  }

  Result<Swizzle> readSwizzle() {
    std::int64_t numbers[3];
    for (int i = 0; i < 3; ++i) {
      if (!accept(i == 0 ? '<' : ','))
        return fail(i == 0 ? "expected `<`" : "expected `,`");
      FLY_TRY(number, readSigned());
      numbers[i] = number;
    }
    if (!accept('>'))
      return fail("expected `>`");
    return makeSwizzle(numbers[0], numbers[1], numbers[2]);
  }

  Result<Tile> readEntry(unsigned depth) {
    skipBlanks();
    if (position < text.size() && text[position] == '<')
      return readTile(depth + 1);
    FLY_TRY(shape, readTuple());
    skipBlanks();
    if (position < text.size() && text[position] == ':') {
      FLY_TRY(layout, readStride(std::move(shape)));
      return Tile::of(std::move(layout));
    }
    FLY_TRY(tile, tilerOf(shape));
    return shape.isLeaf() ? Tile(tile.mode(0)) : tile;
  }

  Result<std::int64_t> readSigned() {
    bool negative = accept('-');
    FLY_TRY(value, readNumber());
    return negative ? -value : value;
  }

  Result<IntTuple> readLeaf() {
    if (accept('_'))
      return IntTuple(Leaf::keep());
    if (accept('?')) {
      FLY_TRY(dynamic, readDynamic());
      return readPath(dynamic.leaf());
    }
    FLY_TRY(value, readSigned());
    return readPath(Leaf::known(value));
  }

  /// `@1@0`, the innermost mode first.
  Result<IntTuple> readPath(Leaf leaf) {
    while (accept('@')) {
      FLY_TRY(mode, readNumber());
      if (mode > maximumMode || leaf.path.size() == maximumDepth)
        return fail("a step along a mode is too large or too deep");
      leaf.path.insert(leaf.path.begin(), static_cast<std::uint32_t>(mode));
    }
    while (leaf.path.size() < maximumDepth && acceptWord("E")) { // FlyDSL's `2E0E1`: the outermost mode first
      FLY_TRY(mode, readNumber());
      if (mode > maximumMode)
        return fail("a step along a mode is too large or too deep");
      leaf.path.push_back(static_cast<std::uint32_t>(mode));
    }
    return IntTuple(std::move(leaf));
  }

  Result<IntTuple> readDynamic() {
    Leaf leaf = Leaf::dynamic();
    if (accept('{')) {
      bool hasWidth = false, hasDivisor = false;
      do {
        if (acceptWord("i64") || acceptWord("i32")) {
          if (std::exchange(hasWidth, true))
            return fail("a second width ends");
          leaf.bits = text[position - 2] == '6' ? 64 : 32;
        } else if (acceptWord("div")) {
          if (!accept('='))
            return fail("expected `=`");
          FLY_TRY(divisibility, readNumber());
          if (divisibility < 1)
            return fail("a divisibility must be at least 1");
          if (std::exchange(hasDivisor, true))
            return fail("a second divisibility ends");
          leaf.divisibility = divisibility;
        } else {
          return fail("expected `i32`, `i64` or `div=`");
        }
      } while (accept(',') || atWord()); // FlyDSL separates by a blank
      if (!accept('}'))
        return fail("expected `}`");
    }
    return IntTuple(leaf);
  }

  bool atWord() {
    skipBlanks();
    return position < text.size() && text[position] >= 'a' && text[position] <= 'z';
  }

  bool acceptWord(std::string_view word) {
    skipBlanks();
    if (text.substr(position, word.size()) != word)
      return false;
    position += word.size();
    return true;
  }

  Result<std::int64_t> readNumber() {
    skipBlanks();
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

/// The result of `read`, which must consume the whole text.
template <typename T, typename Read> static Result<T> readWhole(std::string_view text, Read read) {
  TextReader reader(text);
  FLY_TRY(value, read(reader));
  if (!reader.atEnd())
    return reader.fail("unexpected text");
  return value;
}

Result<IntTuple> parseIntTuple(std::string_view text) {
  return readWhole<IntTuple>(text, [](TextReader &r) { return r.readTuple(); });
}
Result<Layout> parseLayout(std::string_view text) {
  return readWhole<Layout>(text, [](TextReader &r) { return r.readLayout(); });
}
Result<AnyFunction> parseFunction(std::string_view text) {
  return readWhole<AnyFunction>(text, [](TextReader &r) { return r.readFunction(); });
}

Result<AnyLayout> parseAnyLayout(std::string_view text) {
  FLY_TRY(function, parseFunction(text));
  if (auto *swizzle = std::get_if<Swizzle>(&function))
    return Error{"expected a layout; found the swizzle `" + swizzle->text() + "`"};
  if (auto *plain = std::get_if<Layout>(&function))
    return AnyLayout(std::move(*plain));
  return AnyLayout(std::get<ComposedLayout>(std::move(function)));
}
Result<Tile> parseTile(std::string_view text) {
  FLY_TRY(tile, readWhole<Tile>(text, [](TextReader &r) { return r.readTile(); }));
  tile.readAsExtents();
  return tile;
}

} // namespace fly::layout
