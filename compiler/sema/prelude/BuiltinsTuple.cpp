// Arithmetic on tuples of integers, element by element: CuTe's and FlyDSL's int_tuple functions.
#include "compiler/sema/tensor/LayoutCalls.h"
#include "compiler/sema/prelude/Prelude.h"

#include "compiler/layout/Profiles.h"

namespace fly::sema {

using layout::IntTuple;
using layout::Leaf;
using layout::LeafArithmetic;
using layout::LeafFunction;

namespace {

Value eachLeaf(Elaborator &e, BoundCall &call, LeafFunction function) {
  LayoutCall c(e, call);
  return fromTuple(c.take(
      layout::eachLeaf(c.tuple(0, "a tuple"), c.tuple(1, "a tuple"), function, call.builtin->name, c.arithmetic), 1));
}
template <LeafFunction function> Value each(Elaborator &e, BoundCall &call) { return eachLeaf(e, call, function); }

Value subtract(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  IntTuple negative = c.take(layout::eachLeaf(c.tuple(1, "a tuple"), IntTuple(-1), &LeafArithmetic::multiply,
                                              call.builtin->name, c.arithmetic),
                             1);
  return fromTuple(c.take(
      layout::eachLeaf(c.tuple(0, "a tuple"), negative, &LeafArithmetic::add, call.builtin->name, c.arithmetic), 1));
}

Value divideShape(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return fromTuple(c.take(layout::shapeDivide(c.tuple(0, "a shape"), c.tuple(1, "a shape"), c.arithmetic), 1));
}

Value product(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return fromTuple(c.take(layout::product(c.tuple(0, "a tuple"), c.arithmetic), 0));
}
Value productEach(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return fromTuple(c.take(layout::productEach(c.tuple(0, "a tuple"), c.arithmetic), 0));
}
Value productLike(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return fromTuple(c.take(layout::productLike(c.tuple(0, "a tuple"), c.tuple(1, "a guide"), c.arithmetic), 1));
}

Value less(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return Value(c.take(layout::elementsLess(c.tuple(0, "a coordinate"), c.tuple(1, "a bound")), 1));
}

Value roundUp(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  IntTuple unit = c.tuple(1, "a tuple");
  IntTuple count = c.take(
      layout::eachLeaf(c.tuple(0, "a tuple"), unit, &LeafArithmetic::ceilDivide, call.builtin->name, c.arithmetic), 1);
  return fromTuple(
      c.take(layout::eachLeaf(count, unit, &LeafArithmetic::multiply, call.builtin->name, c.arithmetic), 1));
}
Value scaleElements(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return fromTuple(c.take(layout::scaleElements(c.tuple(0, "a tuple"), c.tuple(1, "a tuple"), c.arithmetic), 1));
}
Value innerProduct(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return fromTuple(c.take(layout::innerProduct(c.tuple(0, "a tuple"), c.tuple(1, "a tuple"), c.arithmetic), 1));
}
Value coordinateToCoordinate(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return fromTuple(c.take(
      layout::crd2crd(c.tuple(0, "a coordinate"), c.tuple(1, "a shape"), c.tuple(2, "a shape"), c.arithmetic), 0));
}

/// The profile of a layout is the profile of its shape.
IntTuple shapeOrTuple(LayoutCall &c, size_t i) {
  return c.hasLayout(i) ? layout::domainOf(c.queried(i)).shape() : c.tuple(i, "a tuple or a layout");
}
Value congruent(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return Value(shapeOrTuple(c, 0).hasProfileOf(shapeOrTuple(c, 1)));
}
Value weaklyCongruent(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return Value(layout::weaklyCongruent(shapeOrTuple(c, 0), shapeOrTuple(c, 1)));
}
template <layout::Result<bool> (*predicate)(const IntTuple &, const IntTuple &)>
Value fits(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  return Value(c.take(predicate(shapeOrTuple(c, 0), shapeOrTuple(c, 1)), 1));
}

Value isEqual(Elaborator &e, BoundCall &call) {
  auto same = equal(call[0], call[1]);
  if (!same)
    e.fail(diag::bad_operand, call.range, {"equal", describe(call[0]) + " and " + describe(call[1])});
  return Value(*same);
}

Value makeIntTuple(Elaborator &e, BoundCall &call) {
  if (call.rest.size() == 1)
    if (auto *text = call.rest[0].value.as<std::string>()) {
      auto tuple = layout::parseIntTuple(*text);
      if (!tuple)
        e.fail(call.rest[0].range, diag::bad_layout_text{.what = "tuple", .problem = tuple.text()});
      return fromTuple(*tuple);
    }
  Values parts;
  for (auto &argument : call.rest)
    parts.push_back(argument.value);
  return makeTuple(std::move(parts));
}

const Builtin tupleRows[] = {
    {"make_int_tuple", "*elements",
     "a tuple; also from CuTe's text, in which `(8)` has one element: `make_int_tuple(\"((8),4)\")`", makeIntTuple},
    {"make_shape", "*elements", "the same", makeIntTuple},
    {"make_stride", "*elements", "the same", makeIntTuple},
    {"make_coord", "*elements", "the same", makeIntTuple},
    {"int_tuple_add", "x, y", "sums, element by element; a single number is added to every element",
     each<&LeafArithmetic::add>},
    {"int_tuple_sub", "x, y", "differences, likewise", subtract},
    {"int_tuple_mul", "x, y", "products, likewise", each<&LeafArithmetic::multiply>},
    {"int_tuple_div", "x, y", "quotients, likewise, rounded towards zero", each<&LeafArithmetic::floorDivide>},
    {"int_tuple_mod", "x, y", "remainders, likewise", each<&LeafArithmetic::remainder>},
    {"shape_div", "x, y", "the shape that is left after dividing by y; a single number y divides from the left",
     divideShape},
    {"int_tuple_product", "x", "the product of all elements", product},
    {"product", "x", "the same", product},
    {"int_tuple_product_each", "x", "the product of each mode", productEach},
    {"product_each", "x", "the same", productEach},
    {"int_tuple_product_like", "x, guide", "products of parts of x, so that the result has the profile of the guide",
     productLike},
    {"product_like", "x, guide", "the same", productLike},
    {"elem_scale", "x, y",
     "each element of x times the product of the corresponding part of y: `elem_scale((2, 3), (4, (5, 6)))` is (8, "
     "90)",
     scaleElements},
    {"inner_product", "x, y", "the sum of the products of the elements", innerProduct},
    {"round_up", "x, y", "x rounded up to a multiple of y: `round_up((10, 5), 4)` is (12, 8)", roundUp},
    {"crd2crd", "coordinate, from, to", "a coordinate of one shape as the coordinate of another shape of the same size",
     coordinateToCoordinate},
    {"congruent", "x, y", "whether two tuples, or shapes of layouts, have the same profile", congruent},
    {"weakly_congruent", "x, y", "whether x has the profile of y, where a number in x may stand for a tuple in y",
     weaklyCongruent},
    {"compatible", "x, y",
     "whether each coordinate of the shape x is a coordinate of y, and both have the same size: `compatible(24, (4, "
     "6))`",
     fits<layout::compatible>},
    {"weakly_compatible", "x, y", "whether the extents of x divide the corresponding parts of y",
     fits<layout::weaklyCompatible>},
    {"elem_less", "x, y", "whether each element of a coordinate is less than the corresponding bound", less},
    {"equal", "x, y", "whether two compile-time values are equal", isEqual},
};
} // namespace

llvm::ArrayRef<Builtin> tupleBuiltins() { return tupleRows; }

Value ceilDivideTuples(Elaborator &e, BoundCall &call) { return eachLeaf(e, call, &LeafArithmetic::ceilDivide); }

} // namespace fly::sema
