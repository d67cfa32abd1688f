// Where there is a space between two words. For most pairs the kinds decide; four words have several meanings, which
// the walk keeps track of:
//
//     =      f(x=1), k[T=f16] and `def f(x=1)` have none around it; `x = 1` and `def f(x: i32 = 1)` have
//     :      none in a slice `a[i:j]`, `layout[(8, 4):(1, 8)]`; one after it in an annotation, dict, lambda or block
//     - * @  between two values an operator, else a sign, a star or a decorator
//     .      `from . import x` has words next to its dots
#include "compiler/format/LogicalLines.h"

namespace fly::format {

namespace {

/// What the brackets around a word say about `=` and `:`.
struct Place {
  char bracket = 0;          ///< of `(`, `[`, `{`, or 0 outside of all
  bool isParameters = false; ///< of a `def`
  bool isAnnotated = false;  ///< there is a `:` since the last comma
  unsigned lambdas = 0;      ///< that wait for their `:`
};

/// How a word binds to its neighbours.
enum class Bond { Normal, Tight, Prefix, Slice };

class Spacer {
public:
  explicit Spacer(LogicalLine &line) : line(line) {}

  void run() {
    const Item *before = nullptr;
    Bond bondBefore = Bond::Normal;
    for (Item &item : line.items) {
      if (item.kind == WordKind::Comment)
        continue;
      if (item.kind == WordKind::Close && places.size() > 1)
        places.pop_back();
      const Bond bond = bondOf(item, before);
      item.spaceBefore = before && isSpaced(*before, bondBefore, item, bond);
      item.depth = static_cast<unsigned>(places.size()) - 1;
      item.isBinary = item.kind == WordKind::Operator && bond == Bond::Normal;
      if (item.kind == WordKind::Open) {
        Place inside{item.text[0]};
        inside.isParameters = line.startsWith("def") && places.size() == 1 && !seenParameters;
        seenParameters |= inside.isParameters;
        places.push_back(inside);
      }
      before = &item;
      bondBefore = bond;
    }
  }

private:
  static bool endsValue(const Item *item) {
    return item && (item->kind == WordKind::Name || item->kind == WordKind::Number || item->kind == WordKind::String ||
                    item->kind == WordKind::Close);
  }

  Bond bondOf(const Item &item, const Item *before) {
    Place &place = places.back();
    switch (item.kind) {
    case WordKind::Keyword:
      if (item.text == "lambda")
        ++place.lambdas;
      return Bond::Normal;
    case WordKind::Comma: place.isAnnotated = false; return Bond::Normal;
    case WordKind::Colon:
      if (place.lambdas) {
        --place.lambdas;
        return Bond::Normal;
      }
      place.isAnnotated = true;
      return place.bracket == 0 || place.bracket == '{' || place.isParameters ? Bond::Normal : Bond::Slice;
    case WordKind::Assign:
      if (place.lambdas)
        return Bond::Tight;
      return place.bracket == 0 || (place.isParameters && place.isAnnotated) ? Bond::Normal : Bond::Tight;
    case WordKind::Operator: return endsValue(before) ? Bond::Normal : Bond::Prefix;
    default: return Bond::Normal;
    }
  }

  static bool isSpaced(const Item &before, Bond bondBefore, const Item &item, Bond bond) {
    if (before.kind == WordKind::Open || item.kind == WordKind::Close || item.kind == WordKind::Comma ||
        item.kind == WordKind::Semicolon)
      return false;
    if (before.kind == WordKind::Comma || before.kind == WordKind::Semicolon)
      return true;
    if (item.kind == WordKind::Colon)
      return false;
    if (before.kind == WordKind::Colon)
      return bondBefore != Bond::Slice;
    if (bond == Bond::Tight || bondBefore == Bond::Tight || bondBefore == Bond::Prefix)
      return false;
    if (item.kind == WordKind::Dot)
      return before.kind == WordKind::Keyword || before.kind == WordKind::Number; // `1 .x`, or it would be a float
    if (before.kind == WordKind::Dot)
      return item.kind == WordKind::Keyword;
    if (item.kind == WordKind::Open)
      return !endsValue(&before);
    return true;
  }

  LogicalLine &line;
  std::vector<Place> places{Place()};
  bool seenParameters = false;
};

} // namespace

void setSpaces(LogicalLine &line) { Spacer(line).run(); }

} // namespace fly::format
