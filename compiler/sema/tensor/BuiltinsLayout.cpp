// Making layouts, and taking their modes apart and together: the part of the algebra's names that computes nothing.
//
// Functions that rearrange modes take a layout, a composed layout (its outermost layout is rearranged) or a tuple.
#include "compiler/sema/tensor/Views.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/tensor/Families.h"

namespace fly::sema {

using layout::AnyLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;
using layout::Places;
using layout::Result;

namespace {

/// LayoutLeft, LayoutRight or an order for a shape of that rank.
Layout inOrder(LayoutCall &c, const IntTuple &shape, size_t order) {
  auto *name = c.call[order].as<std::string>();
  if (!c.has(order) || (name && *name == "LayoutLeft"))
    return c.take(layout::columnMajor(shape, c.arithmetic), 0);
  if (name && *name == "LayoutRight")
    return c.take(layout::rowMajor(shape, c.arithmetic), 0);
  if (name)
    c.e.fail(c.call.ranges[order], diag::unknown_choice{.what = "an order",
                                                        .choices = {"`LayoutLeft`", "`LayoutRight`", "a tuple"},
                                                        .found = toText(c.call[order], true)});
  return c.take(layout::orderedLayout(shape, c.tuple(order, "an order"), c.arithmetic), order);
}

Value makeLayoutOf(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  bool joins = c.isLayout(0);
  if (!joins && call.rest.empty()) {
    IntTuple shape = c.tuple(0, "a shape");
    if (!c.has(1) || call[1].is<std::string>())
      return makeLayoutValue(AnyLayout(inOrder(c, shape, 1)));
    auto made = layout::makeLayout(shape, c.tuple(1, "a stride"));
    if (!made)
      e.fail(diag::bad_layout, call.ranges[1], {made.text()});
    return makeLayoutValue(AnyLayout(*made));
  }
  std::vector<Layout> modes = {c.plain(0)}; // layouts side by side
  if (c.has(1))
    modes.push_back(c.plain(1));
  for (auto &argument : call.rest) {
    auto *object = argument.value.as<LayoutValue>();
    auto *mode = object ? object->object->as<Layout>() : nullptr;
    if (!mode)
      e.fail(argument.range, diag::layout_expected{.what = diag::argument("modes", "make_layout"),
                                                   .also = "",
                                                   .found = describe(argument.value)});
    modes.push_back(*mode);
  }
  return makeLayoutValue(AnyLayout(layout::layoutOfModes(modes)));
}

Value makeOrdered(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return makeLayoutValue(AnyLayout(inOrder(c, c.tuple(0, "a shape"), 1)));
}

Value makeIdentity(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return makeLayoutValue(AnyLayout(c.take(layout::identityLayout(c.tuple(0, "a shape")), 0)));
}

/// A layout from a layout: like, fragment_like.
template <Result<Layout> (*make)(const Layout &, layout::LeafArithmetic &)>
Value makeFrom(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return makeLayoutValue(AnyLayout(c.take(make(layout::domainOf(c.layout(0)), c.arithmetic), 0)));
}

Value makeSwizzleValue(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  auto made = layout::makeSwizzle(c.integer(0, "the bits of a swizzle"), c.integer(1, "the base of a swizzle"),
                                  c.integer(2, "the shift of a swizzle"));
  if (!made)
    e.fail(diag::bad_layout, call.range, {made.text()});
  return makeLayoutValue(LayoutObject::Kind(*made));
}

Value compose(LayoutCall &c, size_t inner, size_t offset, size_t outer) {
  IntTuple shift = c.has(offset) ? c.tuple(offset, "an offset") : IntTuple(0);
  return makeLayoutValue(c.take(layout::compose(c.function(inner), shift, c.layout(outer)), outer));
}
Value composed(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return compose(c, 0, 2, 1);
}
Value makeComposed(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return compose(c, 0, 1, 2);
}

Value makeTile(Elaborator &e, BoundCall &call) {
  if (call.rest.size() == 1)
    if (auto *text = call.rest[0].value.as<std::string>()) {
      auto tile = layout::parseTile(*text);
      if (!tile)
        e.fail(call.rest[0].range, diag::bad_layout_text{.what = "tile", .problem = tile.text()});
      return makeLayoutValue(LayoutObject::Kind(*tile));
    }
  std::vector<layout::Tile> entries;
  for (auto &argument : call.rest)
    entries.push_back(readTile(e, argument.value, argument.range));
  return makeLayoutValue(LayoutObject::Kind(layout::Tile(std::move(entries))));
}

Value makeStep(Elaborator &e, BoundCall &call) {
  std::vector<uint32_t> path;
  auto add = [&](const Value &value, SourceRange range) {
    int64_t mode = requireInt(e, value, range, "the number of a mode");
    if (mode < 0 || mode > layout::maximumMode)
      e.fail(range,
             diag::out_of_range{
                 .what = "the number of a mode", .low = 0, .high = layout::maximumMode, .found = std::to_string(mode)});
    path.push_back(uint32_t(mode));
  };
  for (auto &argument : call.rest) {
    if (auto *parts = argument.value.sequence())
      for (auto &part : *parts)
        add(part, argument.range);
    else
      add(argument.value, argument.range);
  }
  if (path.size() > layout::maximumDepth)
    e.fail(diag::bad_layout, call.range,
           {"a step goes deeper than " + std::to_string(layout::maximumDepth) + " levels"});
  return path.empty() ? Value(int64_t(1)) : makeLayoutValue(LayoutObject::Kind(Leaf::basis(path)));
}

// --- modes ---

/// The same change of a layout's outermost layout, or of a tuple.
template <typename OfLayout, typename OfTuple>
Value change(LayoutCall &c, size_t blame, OfLayout ofLayout, OfTuple ofTuple) {
  if (c.isLayout(0))
    return makeLayoutValue(c.take(
        layout::changeDomain(c.layout(0), [&](const Layout &l) -> Result<Layout> { return ofLayout(l); }), blame));
  Result<IntTuple> changed = ofTuple(c.tuple(0, "a tuple"));
  return fromTuple(c.take(std::move(changed), blame));
}

Places placesFrom(LayoutCall &c, const Arguments &arguments) {
  Places places;
  for (auto &argument : arguments) {
    if (auto *parts = argument.value.sequence())
      for (auto &part : *parts)
        places.push_back(requireInt(c.e, part, argument.range, "the number of a mode"));
    else
      places.push_back(requireInt(c.e, argument.value, argument.range, "the number of a mode"));
  }
  return places;
}

/// The elements along one mode, at the first coordinate of all others: `get(t, 1)` is `t[0, :]`.
Value modeOfView(Elaborator &e, BoundCall &call, const Places &path) {
  IntTuple mode = domainOf(call[0]).shape();
  for (int64_t place : path) {
    if (!mode.isTuple())
      e.fail(diag::index_out_of_range, call.range,
             {std::to_string(place), "`" + mode.text() + "`, which has no modes"});
    if (place < 0 || place >= int64_t(mode.rank()))
      e.fail(call.range, diag::out_of_range{.what = "the number of a mode",
                                            .low = 0,
                                            .high = int64_t(mode.rank()) - 1,
                                            .found = std::to_string(place)});
    mode = IntTuple(mode.mode(size_t(place)));
  }
  // `_` for each of its own modes, 0 for the others, from the inside out.
  IntTuple coordinate =
      mode.isTuple() ? IntTuple(std::vector<IntTuple>(mode.rank(), IntTuple(Leaf::keep()))) : IntTuple(Leaf::keep());
  for (size_t depth = path.size(); depth-- > 0;) {
    IntTuple outer = domainOf(call[0]).shape();
    for (size_t i = 0; i < depth; ++i)
      outer = IntTuple(outer.mode(size_t(path[i])));
    std::vector<IntTuple> parts(outer.rank(), IntTuple(0));
    parts[size_t(path[depth])] = coordinate;
    coordinate = IntTuple(std::move(parts));
  }
  return sliced(e, call[0], coordinate, call.range);
}

Value getMode(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  Places path = placesFrom(c, call.rest);
  if (isView(call[0]))
    return modeOfView(e, call, path);
  return change(
      c, SIZE_MAX, [&](const Layout &l) { return layout::modeAt(l, path); },
      [&](const IntTuple &t) { return layout::modeAt(t, path); });
}

using Kind = layout::Rearrangement::Kind;

/// A view with its modes rearranged.
Value ofView(Elaborator &e, BoundCall &call, Kind kind, const Places &modes) {
  std::vector<IntTuple> numbers(modes.begin(), modes.end());
  return rearranged(e, call[0], {kind, {}, IntTuple(std::move(numbers))}, call.builtin->name, call.range, call.range);
}

Value selectModes(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  Places modes = placesFrom(c, call.rest);
  if (isView(call[0]))
    return ofView(e, call, Kind::Select, modes);
  return change(
      c, SIZE_MAX, [&](const Layout &l) { return layout::select(l, modes); },
      [&](const IntTuple &t) { return layout::select(t, modes); });
}

Value takeModes(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  int64_t begin = c.integer(1, "the first mode"), end = c.integer(2, "the mode after the last");
  if (isView(call[0])) {
    Places modes;
    for (int64_t i = begin; i < std::min<int64_t>(end, 64); ++i)
      modes.push_back(i);
    return ofView(e, call, Kind::Select, modes);
  }
  return change(
      c, SIZE_MAX, [&](const Layout &l) { return layout::take(l, begin, end); },
      [&](const IntTuple &t) { return layout::take(t, begin, end); });
}

Value groupModes(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  int64_t begin = c.integer(1, "the first mode"), end = c.integer(2, "the mode after the last");
  if (isView(call[0]))
    return ofView(e, call, Kind::Group, {begin, end});
  return change(
      c, SIZE_MAX, [&](const Layout &l) { return layout::group(l, begin, end); },
      [&](const IntTuple &t) { return layout::group(t, begin, end); });
}

Value flattenModes(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  if (isView(call[0]))
    return ofView(e, call, Kind::Flatten, {});
  return change(
      c, 0, [&](const Layout &l) { return Result<Layout>(layout::flatten(l)); },
      [&](const IntTuple &t) { return Result<IntTuple>(layout::flatten(t)); });
}

Value unflattenTuple(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return fromTuple(c.take(layout::unflatten(c.tuple(0, "a tuple"), c.tuple(1, "a guide")), 0));
}

/// One mode more, or as many as make n.
Value extend(Elaborator &e, BoundCall &call, bool atEnd) {
  LayoutCall c(e, call);
  int64_t rank = c.has(2) ? c.integer(2, "the number of modes") : 0;
  if (isView(call[0])) { // `1:0` does not change the function; another mode would
    if (c.has(1) && c.plain(1) != Layout(1, 0))
      e.fail(diag::no_layout, call.ranges[1],
             {call.builtin->name, "`" + c.plain(1).text() + "` changes the function of a layout, but " +
                                      describe(call[0]) + " keeps its own"});
    const int64_t now = int64_t(domainOf(call[0]).rank()), wanted = c.has(2) ? rank : now + 1;
    if (wanted > 64)
      e.fail(call.ranges[2], diag::above_limit{.what = "the number of modes", .limit = 64, .found = wanted});
    Value view = call[0];
    for (int64_t i = now; i < wanted; ++i)
      view = rearranged(e, view, {atEnd ? Kind::Append : Kind::Prepend, {}, {}}, call.builtin->name, call.range,
                        call.range);
    return view;
  }
  if (c.isLayout(0)) {
    Layout element = c.has(1) ? c.plain(1) : Layout(1, 0);
    return makeLayoutValue(
        c.take(layout::changeDomain(c.layout(0),
                                    [&](const Layout &l) -> Result<Layout> {
                                      if (!c.has(2))
                                        return atEnd ? layout::append(l, element) : layout::prepend(l, element);
                                      if (rank < 0)
                                        return layout::Error{"a layout cannot have " + std::to_string(rank) + " modes"};
                                      return atEnd ? layout::appendTo(l, element, size_t(rank))
                                                   : layout::prependTo(l, element, size_t(rank));
                                    }),
               c.has(2) ? 2 : 0));
  }
  IntTuple tuple = c.tuple(0, "a tuple"), element = c.has(1) ? c.tuple(1, "an element") : IntTuple(1);
  if (rank > 1024)
    e.fail(call.ranges[2], diag::above_limit{.what = "the number of modes", .limit = 1024, .found = rank});
  do {
    if (c.has(2) && int64_t(tuple.rank()) >= rank)
      break;
    tuple = atEnd ? layout::append(tuple, element) : layout::prepend(tuple, element);
  } while (c.has(2));
  return fromTuple(tuple);
}
Value append(Elaborator &e, BoundCall &call) { return extend(e, call, true); }
Value prepend(Elaborator &e, BoundCall &call) { return extend(e, call, false); }

/// Replaces one mode by another.
Value replaceMode(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  int64_t mode = c.integer(1, "the number of a mode");
  auto inRange = [&](size_t rank) {
    if (mode < 0 || mode >= int64_t(rank))
      e.fail(call.ranges[1],
             diag::out_of_range{
                 .what = "the number of a mode", .low = 0, .high = int64_t(rank) - 1, .found = std::to_string(mode)});
  };
  if (c.isLayout(0)) {
    Layout element = c.plain(2);
    return makeLayoutValue(c.take(layout::changeDomain(c.layout(0),
                                                       [&](const Layout &l) -> Result<Layout> {
                                                         inRange(l.rank());
                                                         std::vector<Layout> modes = l.modes();
                                                         modes[size_t(mode)] = element;
                                                         return l.shape().isLeaf() ? element
                                                                                   : layout::layoutOfModes(modes);
                                                       }),
                                  2));
  }
  IntTuple tuple = c.tuple(0, "a tuple"), element = c.tuple(2, "an element");
  inRange(tuple.rank());
  if (tuple.isLeaf())
    return fromTuple(element);
  std::vector<IntTuple> modes = tuple.modes();
  modes[size_t(mode)] = element;
  return fromTuple(IntTuple(std::move(modes)));
}

Value rankOf(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  if (isView(call[0]))
    return Value(int64_t(domainOf(call[0]).rank()));
  if (auto *object = call[0].as<LayoutValue>(); object && !object->object->as<Leaf>())
    return e.attribute(call[0], "rank", call.ranges[0], call.ranges[0]);
  return Value(int64_t(c.tuple(0, "a tuple").rank()));
}
Value depthOf(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return Value(int64_t(c.hasLayout(0) ? layout::domainOf(c.queried(0)).depth() : c.tuple(0, "a tuple").depth()));
}
Value shapeOf(Elaborator &e, BoundCall &call) {
  if (isView(call[0]))
    return e.attribute(call[0], "shape", call.ranges[0], call.ranges[0]);
  LayoutCall c(e, call);
  return fromTuple(layout::domainOf(c.layout(0)).shape());
}
Value strideOf(Elaborator &e, BoundCall &call) {
  if (isView(call[0]))
    return e.attribute(call[0], "stride", call.ranges[0], call.ranges[0]);
  LayoutCall c(e, call);
  return fromTuple(c.plain(0).stride());
}
Value cosizeOf(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return fromTuple(c.take(layout::cosize(c.queried(0), c.arithmetic), 0));
}
Value coshapeOf(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return fromTuple(c.take(layout::coshape(isView(call[0]) ? domainOf(call[0]) : c.plain(0), c.arithmetic), 0));
}

const Builtin layoutRows[] = {
    {"make_layout", "shape, stride=, *modes",
     "the layout of a shape and its strides; without strides the first mode is contiguous (with `LayoutRight`, the "
     "last). From several layouts, the layout that has them as modes",
     makeLayoutOf},
    {"make_ordered_layout", "shape, order",
     "the compact layout in which modes with smaller numbers in `order` vary faster", makeOrdered},
    {"make_identity_layout", "shape", "maps each coordinate to itself: strides `1@0`, `1@1`, ...", makeIdentity},
    {"make_layout_like", "layout", "the compact layout with the same shape and the same order of strides",
     makeFrom<layout::layoutLike>},
    {"make_fragment_layout_like", "layout", "the same for registers: mode 0 is contiguous",
     makeFrom<layout::fragmentLayoutLike>},
    {"swizzle", "bits, base, shift",
     "`S<bits,base,shift>`: x ^ ((x & mask) >> shift); the mask has `bits` bits, starting at bit base + shift",
     makeSwizzleValue},
    {"composed", "inner, layout, offset=", "the layout inner(offset + layout(c)); `inner` is a swizzle or a layout",
     composed},
    {"make_composed_layout", "inner, offset, layout",
     "the same, with the arguments in the order in which they are printed", makeComposed},
    {"make_tile", "*entries",
     "a tiler with one entry per mode: an extent, `_` or a layout; or a tiler read from text: `\"<4:1;_>\"`", makeTile},
    {"E", "*modes", "a step of 1 along a mode of a coordinate; `E(0, 1)` is along mode 1 of mode 0, printed as `1@1@0`",
     makeStep},
    {"get", "x, *path", "the mode at a path of a layout or tuple: `get(L, 1, 0)`", getMode},
    {"select", "x, *modes", "a layout or tuple of the given modes: `select(L, 1, 0)` or `select(L, [1, 0])`",
     selectModes},
    {"take", "x, begin, end", "modes begin to end - 1; if that is a single mode, the mode itself", takeModes},
    {"group", "x, begin, end", "modes begin to end - 1 as one mode", groupModes},
    {"flatten", "x", "all leaves at one level", flattenModes},
    {"unflatten", "flat, guide", "the elements of a flat tuple in the profile of another", unflattenTuple},
    {"append", "x, element=, n=", "adds a mode at the end (`1:0` by default), or enough of them to make n modes",
     append},
    {"prepend", "x, element=, n=", "the same at the beginning", prepend},
    {"replace", "x, mode, element", "replaces one mode by another: `replace(layout[(4, 8)], 1, layout[3:4])`",
     replaceMode},
    {"rank", "x", "the number of modes of a layout, tile or tuple; 1 for an integer", rankOf},
    {"depth", "x", "the nesting depth of the modes; 0 for an integer", depthOf},
    {"get_shape", "x", "the shape of a layout or tensor", shapeOf},
    {"get_stride", "x", "the strides of a layout or tensor", strideOf},
    {"cosize", "layout",
     "the extent of the offsets from the smallest to the largest: the largest plus one if no stride is negative. For "
     "coordinates, the product of `coshape`",
     cosizeOf},
    {"coshape", "layout", "the extent of the results; one per mode if they are coordinates", coshapeOf},
};
} // namespace

llvm::ArrayRef<Builtin> layoutBuiltins() { return layoutRows; }

} // namespace fly::sema
