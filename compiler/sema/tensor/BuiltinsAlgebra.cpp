// The operations of the layout algebra in the language: one row each, with the function of the algebra. The semantics
// are CuTe's and are in compiler/layout; its errors become FLY0612 at the argument that causes them.
//
// Divisions and products change the outermost layout of a composed layout and leave its rest. Functions that only
// rearrange coordinates also take views: a tensor, a fragment, a coordinate tensor.
#include "compiler/sema/tensor/Views.h"
#include "compiler/sema/tensor/Families.h"

#include "compiler/layout/ComposedAlgebra.h"
#include "compiler/layout/Tiling.h"

namespace fly::sema {

using layout::AnyLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Leaf;
using layout::LeafArithmetic;
using layout::Result;
using layout::Tile;

namespace {

using OfOne = Result<Layout> (*)(const Layout &, LeafArithmetic &);
using OfAny = Result<AnyLayout> (*)(const AnyLayout &, LeafArithmetic &);
using Kind = layout::Rearrangement::Kind;
using ByLayout = Result<Layout> (*)(const Layout &, const Layout &, LeafArithmetic &);

/// A layout or view after the step; `blame` is the argument that an error is shown at.
Value arranged(LayoutCall &c, const layout::Rearrangement &step, size_t blame) {
  SourceRange place = blame < c.call.ranges.size() ? c.call.ranges[blame] : c.call.range;
  if (isView(c.call[0]))
    return rearranged(c.e, c.call[0], step, c.call.builtin->name, c.call.range, place);
  if (!c.isLayout(0))
    c.e.fail(
        c.call.ranges[0],
        diag::layout_expected{.what = argumentName(c.call, 0), .also = " or a tensor", .found = describe(c.call[0])});
  return makeLayoutValue(c.take(step.apply(c.layout(0), c.arithmetic), blame));
}

template <OfOne operation> Value ofOne(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return makeLayoutValue(
      c.take(layout::changeDomain(c.layout(0), [&](const Layout &l) { return operation(l, c.arithmetic); }), 0));
}

Value nullspace(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return makeLayoutValue(AnyLayout(c.take(layout::nullspace(c.layout(0), c.arithmetic), 0)));
}

/// A swizzle is its own inverse.
template <OfAny operation> Value inverse(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  if (auto *object = call[0].as<LayoutValue>(); object && object->object->as<layout::Swizzle>())
    return call[0];
  return makeLayoutValue(c.take(operation(c.layout(0), c.arithmetic), 0));
}

template <Kind kind> Value byTile(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return arranged(c, {kind, c.tile(1), {}}, 1);
}

/// CuTe defines some products whose copies are not placed as the tiler says, and divisions by tilers with holes. They
/// are computed as in CuTe, with a warning.
void warnOfOverlap(LayoutCall &c, const Layout &block, const Tile &tiler) {
  if (auto exact = layout::checkProduct(block, tiler, c.arithmetic); !exact)
    c.e.report(c.call.ranges[1], diag::overlapping_product{.name = c.call.builtin->name,
                                                           .problem = "the copies may overlap: " + exact.text()});
}

template <Kind kind> Value divideBy(Elaborator &e, BoundCall &call) {
  Value result = byTile<kind>(e, call);
  LayoutCall c(e, call);
  layout::InferringArithmetic arithmetic;
  if (auto exact = layout::checkDivide(isView(call[0]) ? domainOf(call[0]) : layout::domainOf(c.layout(0)), c.tile(1),
                                       arithmetic);
      !exact)
    e.report(call.ranges[1], diag::overlapping_product{.name = call.builtin->name, .problem = exact.text()});
  return result;
}

template <Kind kind> Value productBy(Elaborator &e, BoundCall &call) {
  Value result = byTile<kind>(e, call);
  LayoutCall c(e, call);
  warnOfOverlap(c, layout::domainOf(c.layout(0)), c.tile(1));
  return result;
}

template <ByLayout operation> Value pairedProduct(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  AnyLayout any = c.layout(0);
  Layout tiler = c.plain(1);
  auto result =
      c.take(layout::changeDomain(any, [&](const Layout &l) { return operation(l, tiler, c.arithmetic); }), 1);
  warnOfOverlap(c, layout::domainOf(any), Tile::of(tiler));
  return makeLayoutValue(result);
}

/// A swizzle as an argument.
const layout::Swizzle *swizzleOf(const Value &value) {
  auto *object = value.as<LayoutValue>();
  return object ? object->object->as<layout::Swizzle>() : nullptr;
}

/// `a` after `b`, read at `place`.
Value composed(LayoutCall &c, const layout::AnyFunction &a, const Value &b, SourceRange place) {
  auto take = [&](auto result) { return taken(c.e, std::move(result), c.call.builtin->name, place); };
  if (auto *swizzle = swizzleOf(b))
    return makeLayoutValue(take(layout::composition(a, *swizzle, c.arithmetic)));
  if (auto *object = b.as<LayoutValue>())
    if (auto any = object->object->layout())
      return makeLayoutValue(take(layout::composition(a, *any, c.arithmetic)));
  Tile tile = readTile(c.e, b, place);
  if (tile.kind() == Tile::Kind::Extent)
    tile = Tile::of(tile.layout());
  auto *swizzle = std::get_if<layout::Swizzle>(&a);
  if (swizzle)
    c.e.fail(c.call.ranges[0],
             diag::layout_expected{.what = argumentName(c.call, 0), .also = "", .found = describe(c.call[0])});
  AnyLayout any = std::holds_alternative<Layout>(a) ? AnyLayout(std::get<Layout>(a))
                                                    : AnyLayout(std::get<layout::ComposedLayout>(a));
  return makeLayoutValue(
      take(layout::changeDomain(any, [&](const Layout &l) { return layout::composition(l, tile, c.arithmetic); })));
}

Value composition(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  Value result;
  if (isView(call[0]))
    result = arranged(c, {Kind::Composition, c.tile(1), {}}, 1);
  else
    result = composed(c, c.function(0), call[1], call.ranges[1]);
  for (auto &argument : call.rest) {
    if (isView(result))
      e.fail(diag::wrong_argument_count, call.range,
             {call.builtin->name, "2 arguments for a tensor", std::to_string(call.rest.size() + 2)});
    result = composed(c, *result.as<LayoutValue>()->object->function(), argument.value, argument.range);
  }
  return result;
}

/// For a composed layout, that of its outer layout: places before the inner function, as in CuTe.
Value complement(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  Layout layout = layout::domainOf(c.layout(0));
  Leaf cotarget = c.has(1) ? c.take(layout::product(c.tuple(1, "a cotarget"), c.arithmetic), 1)
                           : c.take(layout::cosize(layout, c.arithmetic), 0);
  if (c.has(1) && cotarget.isStatic() && cotarget.value < 1)
    e.fail(call.ranges[1],
           diag::not_positive{.what = "the cotarget of a complement", .found = std::to_string(cotarget.value)});
  return makeLayoutValue(AnyLayout(c.take(layout::complement(layout, cotarget, c.arithmetic), 0)));
}

Value coalesce(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  IntTuple profile = c.has(1) ? c.tuple(1, "a profile") : IntTuple(1);
  return arranged(c, {Kind::Coalesce, {}, profile}, c.has(1) ? 1 : 0);
}

Result<Layout> zerosFiltered(const Layout &layout, LeafArithmetic &) { return layout::filterZeros(layout); }

Value maxCommon(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return makeLayoutValue(AnyLayout(c.take(layout::maxCommonLayout(c.layout(0), c.layout(1), c.arithmetic), 1)));
}
Value maxVector(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return fromTuple(c.take(layout::maxCommonVector(c.layout(0), c.layout(1), c.arithmetic), 1));
}

/// A number of bits, or the type that has them.
int64_t bitsOf(LayoutCall &c, size_t i) {
  if (auto *type = c.call[i].as<Type>(); type && !type->isVector())
    return int64_t(type->format().bits);
  return c.integer(i, "the bits of an element");
}
Value recastLayoutOf(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  if (auto *swizzle = swizzleOf(call[0]))
    return makeLayoutValue(LayoutObject::Kind(c.take(layout::recastSwizzle(*swizzle, bitsOf(c, 1), bitsOf(c, 2)), 0)));
  return makeLayoutValue(c.take(layout::recastLayout(c.layout(0), bitsOf(c, 1), bitsOf(c, 2), c.arithmetic), 0));
}
Value cast(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  int64_t factor = c.integer(1, "the factor");
  bool up = llvm::StringRef(call.builtin->name) == "upcast";
  auto function = c.function(0);
  if (auto *swizzle = std::get_if<layout::Swizzle>(&function))
    return makeLayoutValue(
        LayoutObject::Kind(c.take(up ? layout::upcast(*swizzle, factor) : layout::downcast(*swizzle, factor), 1)));
  return makeLayoutValue(c.take(
      up ? layout::upcast(c.layout(0), factor, c.arithmetic) : layout::downcast(c.layout(0), factor, c.arithmetic), 1));
}

Value tileToShape(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  IntTuple shape = c.tuple(1, "a shape"), order = 0;
  if (c.has(2) && !call[2].is<std::string>())
    order = c.tuple(2, "an order");
  else if (c.has(2) && *call[2].as<std::string>() == "LayoutRight") {
    std::vector<IntTuple> places;
    for (size_t i = shape.rank(); i-- > 0;)
      places.push_back(IntTuple(int64_t(i)));
    order = IntTuple(std::move(places));
  }
  return makeLayoutValue(
      c.take(layout::changeDomain(c.layout(0),
                                  [&](const Layout &l) { return layout::tileToShape(l, shape, order, c.arithmetic); }),
             1));
}

Value layoutTV(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  auto made = c.take(layout::layoutTV(c.plain(0), c.plain(1), c.arithmetic), 1);
  return makeTuple({fromTuple(made.tile), makeLayoutValue(AnyLayout(made.layout))});
}

// --- coordinates ---

/// A layout or swizzle, or a shape (and strides), from two arguments.
layout::AnyFunction functionFrom(LayoutCall &c, size_t shape, size_t stride) {
  if (c.call[shape].is<LayoutValue>())
    return c.function(shape);
  IntTuple extents = c.tuple(shape, "a shape");
  if (!c.has(stride))
    return c.take(layout::columnMajor(extents, c.arithmetic), shape);
  return c.take(layout::makeLayout(extents, c.tuple(stride, "a stride")), stride);
}

Value crd2idx(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  auto function = functionFrom(c, 1, 2);
  return fromTuple(c.take(layout::evaluate(c.coordinate(0, function), function, c.arithmetic), 0));
}

Value idx2crd(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  auto function = functionFrom(c, 1, 2);
  if (std::holds_alternative<layout::Swizzle>(function))
    e.fail(call.ranges[1], diag::layout_expected{.what = diag::argument("layout", "idx2crd"),
                                                 .also = " or a shape",
                                                 .found = describe(call[1])});
  IntTuple index = c.coordinate(0, function);
  if (index.isTuple() || index.hasKeep())
    e.fail(call.ranges[0], diag::not_an_integer{.what = "an index", .found = describe(call[0])});
  if (index.leaf().isStatic() && index.leaf().value < 0)
    e.fail(call.ranges[0], diag::negative_value{.what = "an index", .found = toText(call[0])});
  bool byStrides = call[1].is<LayoutValue>() || c.has(2);
  AnyLayout any = std::holds_alternative<Layout>(function) ? AnyLayout(std::get<Layout>(function))
                                                           : AnyLayout(std::get<layout::ComposedLayout>(function));
  return fromTuple(c.take(byStrides ? layout::idx2crd(index.leaf(), any, c.arithmetic)
                                    : layout::idx2crd(index.leaf(), layout::domainOf(any).shape(), c.arithmetic),
                          0));
}

Value coordinateBy(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  Value self = c.isLayout(1)
                   ? call[1]
                   : makeLayoutValue(AnyLayout(c.take(layout::columnMajor(c.tuple(1, "a shape"), c.arithmetic), 1)));
  Arguments arguments = {{"", call[0], call.ranges[0]}};
  return e.call(e.attribute(self, call.builtin->name, call.range, call.ranges[1]), arguments, call.range);
}

/// CuTe writes (coordinate, what), FlyDSL (what, coordinate): the coordinate is the one with an open mode.
bool coordinateIsFirst(LayoutCall &c) {
  if (c.isLayout(0) || c.isLayout(1))
    return c.isLayout(1);
  return toTuple(c.e, c.call[0], c.call.ranges[0], "a coordinate").hasKeep() ||
         !toTuple(c.e, c.call[1], c.call.ranges[1], "a coordinate").hasKeep();
}

layout::AnySlice sliced(LayoutCall &c, size_t coordinate, size_t source) {
  AnyLayout any = c.layout(source);
  IntTuple at = c.coordinate(coordinate, layout::functionOf(any));
  auto part = c.take(layout::sliceAndOffset(at, any, c.arithmetic), coordinate);
  return part;
}

Value slice(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  size_t at = coordinateIsFirst(c) ? 0 : 1;
  if (c.isLayout(1 - at))
    return makeLayoutValue(sliced(c, at, 1 - at).layout);
  return fromTuple(c.take(layout::sliceTuple(c.tuple(at, "a coordinate"), c.tuple(1 - at, "a tuple")), at));
}

Value sliceAndOffset(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  size_t at = coordinateIsFirst(c) ? 0 : 1;
  auto part = sliced(c, at, 1 - at);
  return makeTuple({makeLayoutValue(part.layout), fromTuple(part.offset)});
}

Value dice(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  size_t at = coordinateIsFirst(c) ? 0 : 1;
  IntTuple coordinate = c.tuple(at, "a coordinate");
  if (!c.isLayout(1 - at))
    return fromTuple(c.take(layout::diceTuple(coordinate, c.tuple(1 - at, "a tuple")), at));
  auto diced = [&](const Layout &l) -> Result<Layout> {
    FLY_TRY(shape, layout::diceTuple(coordinate, l.shape()));
    FLY_TRY(stride, layout::diceTuple(coordinate, l.stride()));
    return Layout(std::move(shape), std::move(stride));
  };
  return makeLayoutValue(c.take(layout::changeDomain(c.layout(1 - at), diced), at));
}

const Builtin algebraRows[] = {
    {"composition", "a, b, *more",
     "a after b: `composition(a, b)(c) == a(b(c))`; a tuple of extents, `_` and layouts applies mode by mode; "
     "further arguments are composed one after another",
     composition},
    {"complement", "layout, cotarget=",
     "the layout of the offsets below the cotarget at which copies of `layout` do not overlap; elements that a "
     "stride skips are left out",
     complement},
    {"coalesce",
     "layout, profile=", "the same function with the fewest modes; with a profile, within each of its modes", coalesce},
    {"filter_zeros", "layout", "the layout in which modes of stride 0 have the extent 1", ofOne<zerosFiltered>},
    {"nullspace", "layout", "the coordinates that modes of stride 0 map to the same offset", nullspace},
    {"right_inverse", "layout", "the layout r with `layout(r(i)) == i` for each i below size(r)",
     inverse<layout::rightInverse>},
    {"left_inverse", "layout", "the layout l with `l(layout(c)) == c` for each coordinate",
     inverse<layout::leftInverse>},
    {"logical_divide", "layout, tiler", "(tile, rest); with a tuple as tiler, ((tile, rest), ...) mode by mode",
     divideBy<Kind::LogicalDivide>},
    {"zipped_divide", "layout, tiler",
     "((tile...), (rest...)); where the tile does not divide an extent of a tensor, the number of tiles is rounded up",
     divideBy<Kind::ZippedDivide>},
    {"tiled_divide", "layout, tiler", "((tile...), rest, ...)", divideBy<Kind::TiledDivide>},
    {"flat_divide", "layout, tiler", "(tile..., rest...)", divideBy<Kind::FlatDivide>},
    {"logical_product", "block, tiler", "(block, where its copies start)", productBy<Kind::LogicalProduct>},
    {"zipped_product", "block, tiler", "((block...), (copies...))", productBy<Kind::ZippedProduct>},
    {"tiled_product", "block, tiler", "((block...), copies, ...)", productBy<Kind::TiledProduct>},
    {"flat_product", "block, tiler", "(block..., copies...)", productBy<Kind::FlatProduct>},
    {"blocked_product", "block, tiler", "(block, copies) in each mode: the copies follow one another",
     pairedProduct<layout::blockedProduct>},
    {"raked_product", "block, tiler", "(copies, block) in each mode: the copies are interleaved",
     pairedProduct<layout::rakedProduct>},
    {"tile_to_shape", "block, shape, order=",
     "the block repeated until it fills the shape; the copies are placed in the order of the modes, or in `order`",
     tileToShape},
    {"make_layout_tv", "threads, values",
     "(tile, layout): the tile that all threads cover, and the layout from (thread, value) to a place in it", layoutTV},
    {"max_common_layout", "a, b",
     "the longest run that both layouts store without a gap; the shorter layout continues past its end, as in CuTe",
     maxCommon},
    {"max_common_vector", "a, b", "the number of elements in that run", maxVector},
    {"upcast", "layout, n", "the layout in units of n elements", cast},
    {"downcast", "layout, n", "the layout with each element split into n", cast},
    {"recast_layout", "layout, old, new",
     "the layout for elements of another size; `old` and `new` are types or numbers of bits", recastLayoutOf},
    {"crd2idx", "coordinate, layout, stride=",
     "the result of a layout, a swizzle, or a shape with strides, for a coordinate", crd2idx},
    {"idx2crd", "index, layout, stride=",
     "the coordinate that a layout maps to the index; for a shape alone, the coordinate with that number, first mode "
     "fastest",
     idx2crd},
    {"get_hier_coord", "index, layout", "the coordinate with that number, in the layout's profile", coordinateBy},
    {"get_flat_coord", "index, layout", "the same with one number per mode", coordinateBy},
    {"get_1d_coord", "coordinate, layout", "the number of a coordinate, first mode fastest", coordinateBy},
    {"slice", "coordinate, x", "the modes at `_` of a layout or tuple; also `slice(x, coordinate)`", slice},
    {"slice_and_offset", "coordinate, layout", "(slice, offset): the offset is what the other modes add",
     sliceAndOffset},
    {"dice", "coordinate, x", "the modes that are not at `_`", dice},
};
} // namespace

llvm::ArrayRef<Builtin> algebraBuiltins() { return algebraRows; }

Value filterLayout(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  IntTuple profile = c.has(1) ? c.tuple(1, "a profile") : IntTuple(1);
  return arranged(c, {Kind::Filter, {}, profile}, c.has(1) ? 1 : 0);
}
Value zipLayouts(Elaborator &e, BoundCall &call) {
  std::vector<Layout> layouts;
  for (auto &argument : call.rest) {
    auto *object = argument.value.as<LayoutValue>();
    auto *plain = object ? object->object->as<Layout>() : nullptr;
    if (!plain)
      e.fail(diag::wrong_argument_type, argument.range,
             {"zip", "only layouts, if one argument is a layout", "sequences", describe(argument.value)});
    layouts.push_back(*plain);
  }
  if (layouts.size() > 2)
    e.fail(diag::wrong_argument_count, call.range, {"zip", "1 or 2 layouts", std::to_string(layouts.size())});
  auto zipped = layouts.size() == 1 ? layout::zip(layouts[0]) : layout::zip(layouts[0], layouts[1]);
  if (!zipped)
    e.fail(diag::no_layout, call.range, {"zip", zipped.text()});
  return makeLayoutValue(AnyLayout(*zipped));
}

} // namespace fly::sema
