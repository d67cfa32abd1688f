// See Modes.h.
#include "compiler/layout/Modes.h"

namespace fly::layout {

namespace {

/// A rearrangement of tuples, done to shape and stride.
template <typename F> Result<Layout> both(const Layout &layout, F &&rearrange) {
  Result<IntTuple> shape = rearrange(layout.shape());
  if (!shape)
    return Error{shape.text()};
  Result<IntTuple> stride = rearrange(layout.stride());
  if (!stride)
    return Error{stride.text()};
  return Layout(std::move(*shape), std::move(*stride));
}

Error noMode(std::int64_t mode, const IntTuple &tuple) {
  return {"there is no mode " + std::to_string(mode) + " in `" + tuple.text() + "`, which has " +
          std::to_string(tuple.rank())};
}

Result<bool> checkRange(const IntTuple &tuple, std::int64_t begin, std::int64_t end) {
  if (begin < 0 || end < begin || end > static_cast<std::int64_t>(tuple.rank()))
    return Error{"modes " + std::to_string(begin) + " to " + std::to_string(end) + " are not a range of the " +
                 std::to_string(tuple.rank()) + " modes of `" + tuple.text() + "`"};
  return true;
}

std::vector<IntTuple> modesOf(const IntTuple &tuple) {
  return tuple.isTuple() ? tuple.modes() : std::vector<IntTuple>{tuple};
}

} // namespace

Result<IntTuple> modeAt(const IntTuple &tuple, const Places &path) {
  IntTuple result = tuple;
  for (std::int64_t mode : path) {
    if (mode < 0 || mode >= static_cast<std::int64_t>(result.rank()))
      return noMode(mode, result);
    result = IntTuple(result.mode(static_cast<std::size_t>(mode)));
  }
  return result;
}

Result<IntTuple> select(const IntTuple &tuple, const Places &modes) {
  std::vector<IntTuple> result;
  for (std::int64_t mode : modes) {
    if (mode < 0 || mode >= static_cast<std::int64_t>(tuple.rank()))
      return noMode(mode, tuple);
    result.push_back(tuple.mode(static_cast<std::size_t>(mode)));
  }
  return IntTuple(std::move(result));
}

Result<IntTuple> take(const IntTuple &tuple, std::int64_t begin, std::int64_t end) {
  FLY_CHECK(checkRange(tuple, begin, end));
  std::vector<IntTuple> modes = modesOf(tuple);
  if (end - begin == 1)
    return modes[static_cast<std::size_t>(begin)];
  return IntTuple(std::vector<IntTuple>(modes.begin() + begin, modes.begin() + end));
}

Result<IntTuple> group(const IntTuple &tuple, std::int64_t begin, std::int64_t end) {
  FLY_CHECK(checkRange(tuple, begin, end));
  std::vector<IntTuple> modes = modesOf(tuple);
  std::vector<IntTuple> result(modes.begin(), modes.begin() + begin);
  result.push_back(IntTuple(std::vector<IntTuple>(modes.begin() + begin, modes.begin() + end)));
  result.insert(result.end(), modes.begin() + end, modes.end());
  return IntTuple(std::move(result));
}

IntTuple append(const IntTuple &tuple, const IntTuple &element) {
  std::vector<IntTuple> modes = modesOf(tuple);
  modes.push_back(element);
  return IntTuple(std::move(modes));
}

IntTuple prepend(const IntTuple &tuple, const IntTuple &element) {
  std::vector<IntTuple> modes = modesOf(tuple);
  modes.insert(modes.begin(), element);
  return IntTuple(std::move(modes));
}

Result<Layout> modeAt(const Layout &layout, const Places &path) {
  return both(layout, [&](const IntTuple &tuple) { return modeAt(tuple, path); });
}
Result<Layout> select(const Layout &layout, const Places &modes) {
  return both(layout, [&](const IntTuple &tuple) { return select(tuple, modes); });
}
Result<Layout> take(const Layout &layout, std::int64_t begin, std::int64_t end) {
  return both(layout, [&](const IntTuple &tuple) { return take(tuple, begin, end); });
}
Result<Layout> group(const Layout &layout, std::int64_t begin, std::int64_t end) {
  return both(layout, [&](const IntTuple &tuple) { return group(tuple, begin, end); });
}
Layout append(const Layout &layout, const Layout &element) {
  return {append(layout.shape(), element.shape()), append(layout.stride(), element.stride())};
}
Layout prepend(const Layout &layout, const Layout &element) {
  return {prepend(layout.shape(), element.shape()), prepend(layout.stride(), element.stride())};
}

/// More than any author means; each is a mode in memory.
static constexpr std::size_t maximumRank = 1024;

static Result<Layout> padded(Layout layout, const Layout &element, std::size_t rank, bool atEnd) {
  if (rank < layout.rank() || rank > maximumRank)
    return Error{"`" + layout.text() + "` has " + std::to_string(layout.rank()) + " modes; it cannot be filled up to " +
                 std::to_string(rank)};
  while (layout.rank() < rank)
    layout = atEnd ? append(layout, element) : prepend(layout, element);
  return layout;
}

Result<Layout> appendTo(const Layout &layout, const Layout &element, std::size_t rank) {
  return padded(layout, element, rank, true);
}
Result<Layout> prependTo(const Layout &layout, const Layout &element, std::size_t rank) {
  return padded(layout, element, rank, false);
}

Layout flatten(const Layout &layout) {
  std::vector<IntTuple> shape, stride;
  layout.shape().forEachLeaf([&](const Leaf &leaf) { shape.push_back(leaf); });
  layout.stride().forEachLeaf([&](const Leaf &leaf) { stride.push_back(leaf); });
  return {IntTuple(std::move(shape)), IntTuple(std::move(stride))};
}

Result<Layout> zip(const Layout &left, const Layout &right) {
  if (left.rank() != right.rank())
    return Error{"`" + left.text() + "` and `" + right.text() + "` have " + std::to_string(left.rank()) + " and " +
                 std::to_string(right.rank()) + " modes; only as many can be paired"};
  if (left.shape().isLeaf() && right.shape().isLeaf())
    return layoutOfModes({left, right});
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < left.rank(); ++i)
    modes.push_back(layoutOfModes({left.mode(i), right.mode(i)}));
  return layoutOfModes(modes);
}

Result<Layout> zip(const Layout &layout) {
  std::vector<Layout> modes = layout.modes(), result;
  for (std::size_t i = 0; i < (modes.empty() ? 0 : modes.front().rank()); ++i) {
    std::vector<Layout> column;
    for (const Layout &mode : modes) {
      if (mode.shape().isLeaf() || mode.rank() != modes.front().rank())
        return Error{"the modes of `" + layout.text() + "` do not have equally many modes"};
      column.push_back(mode.mode(i));
    }
    result.push_back(layoutOfModes(column));
  }
  return layoutOfModes(result);
}

} // namespace fly::layout
