// Builtins of tensors, fragments and coordinate tensors: making them, tiles of them, predicates.
#include "compiler/sema/tensor/PinnedFragments.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/tensor/Families.h"
#include "compiler/sema/tensor/CoordinateTensor.h"
#include "compiler/sema/tensor/Fragment.h"
#include "compiler/sema/tensor/PackedElements.h"

#include "compiler/dialect/FlyOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fly::sema {

using layout::AnyLayout;
using layout::IntTuple;
using layout::Leaf;
using layout::Tile;
using Kind = layout::Rearrangement::Kind;

namespace {

host::Number elementOf(Elaborator &e, BoundCall &call, size_t i) {
  Type type = requireType(e, call[i], call.ranges[i], "the element type");
  if (type.isVector())
    e.fail(diag::not_a_type, call.ranges[i], {"`" + type.text() + "`, but only an element type is allowed here"});
  return type.number;
}

/// `at=`: the registers of a fragment.
Value pinned(Elaborator &e, BoundCall &call, size_t at, Value fragment) {
  if (call.given[at] && !call[at].isNone())
    pinFragment(e, fragment, call[at], call.ranges[at]);
  return fragment;
}

Value makeFragmentOf(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  host::Number element = elementOf(e, call, 0);
  const bool allowScratch = call.given[2] && truth(e, call[2], call.ranges[2]);
  if (allowScratch && e.kernel.entry)
    e.kernel.entry->getParentOp()->setAttr(allowScratchAttr, mlir::UnitAttr::get(&e.context));
  if (c.isLayout(1))
    return pinned(e, call, 3, makeFragment(e, element, c.layout(1), call.range, 0, allowScratch));
  layout::InferringArithmetic arithmetic;
  IntTuple shape = c.tuple(1, "a shape");
  if (!shape.isStatic())
    e.report(call.ranges[1], diag::dynamic_layout{.what = "the shape of a fragment", .layout = shape.text()})
        .help("registers have no addresses; memory is `shared(T, shape)`"),
        throw Failed{};
  const IntTuple extents = shape.isLeaf() ? IntTuple(std::vector<IntTuple>{shape}) : shape;
  const AnyLayout layout(c.take(layout::rowMajor(extents, arithmetic), 1));
  return pinned(e, call, 3, makeFragment(e, element, layout, call.range, 0, allowScratch));
}

/// The view that an argument must be.
const Value &viewAt(Elaborator &e, BoundCall &call, size_t i) {
  if (!isView(call[i]))
    e.fail(call.ranges[i], diag::view_expected{.what = argumentName(call, i), .found = describe(call[i])});
  return call[i];
}

Value makeFragmentLikeOf(Elaborator &e, BoundCall &call) {
  std::optional<host::Number> element;
  if (call.given[1])
    element = elementOf(e, call, 1);
  return pinned(e, call, 2, makeFragmentLike(e, viewAt(e, call, 0), element, call.range));
}

Value identityTensor(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  e.ir(call.range, "identity_tensor");
  IntTuple shape = c.tuple(0, "a shape");
  IntTuple origin = shape.mapLeaves([](const Leaf &) { return Leaf::known(0); });
  return makeObject<CoordinateTensor>(AnyLayout(c.take(layout::identityLayout(shape), 0)), std::move(origin));
}

/// `x < bound` in every mode, as a bool of compile time or of the machine.
Value lessInAll(Elaborator &e, const IntTuple &x, const IntTuple &bound, SourceRange range) {
  if (x.isTuple() != bound.isTuple() || x.rank() != bound.rank())
    e.fail(diag::no_layout, range, {"elem_less", "`" + x.text() + "` and `" + bound.text() + "` have different modes"});
  if (x.isLeaf())
    return e.compare(ast::CompareOp::Lt, fromTuple(x), fromTuple(bound), range, range);
  Value all(true);
  for (size_t i = 0; i < x.rank(); ++i) {
    Value one = lessInAll(e, x.mode(i), bound.mode(i), range);
    if (auto *known = one.as<bool>()) {
      if (!*known)
        return Value(false);
    } else if (auto *other = all.as<MachineValue>())
      all = Value(MachineValue{mlir::arith::AndIOp::create(e.ir(range, "elem_less"), e.location(range), other->value,
                                                           one.as<MachineValue>()->value),
                               other->type});
    else
      all = one;
  }
  return all;
}

Value elementsLess(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  IntTuple bound = c.tuple(1, "a bound");
  auto *coordinates = objectAs<CoordinateTensor>(call[0]);
  if (!coordinates)
    return lessInAll(e, c.tuple(0, "a coordinate"), bound, call.range);
  Value result = makeFragmentLike(e, call[0], host::Number::Bool, call.ranges[0]);
  auto *fragment = objectAs<Fragment>(result);
  for (int64_t i = 0, n = *sizeOf(result); i < n; ++i) {
    e.step(call.range);
    fragment->assign(e, {Value(i)},
                     lessInAll(e, coordinates->element(e, IntTuple(i), call.ranges[0]), bound, call.range), call.range,
                     call.range);
  }
  return result;
}

/// The tile at a coordinate of those that the tiler cuts the tensor into: its own modes, and the rests that the
/// coordinate leaves open.
Value localTile(Elaborator &e, BoundCall &call) {
  LayoutCall c(e, call);
  Value divided =
      rearranged(e, viewAt(e, call, 0), {Kind::ZippedDivide, c.tile(1), {}}, "local_tile", call.range, call.ranges[1]);
  IntTuple place = c.tuple(2, "a coordinate");
  if (IntTuple tiles = domainOf(divided).shape().mode(1); place.isTuple() && tiles.isTuple())
    for (size_t i = 0; i < place.rank() && i < tiles.rank(); ++i)
      checkInside(e, place.mode(i), tiles.mode(i), "mode " + std::to_string(i) + " of the tiles of " + nameOf(call[0]),
                  call.ranges[2]);
  else
    checkInside(e, place, tiles, "the tiles of " + nameOf(call[0]), call.ranges[2]);
  Value tile = sliced(e, divided, IntTuple(std::vector<IntTuple>{Leaf::keep(), place}), call.ranges[2]);
  // ((tile...), rests...) as (tile..., rests...)
  layout::Layout domain = domainOf(tile);
  if (!domain.shape().isTuple() || !domain.shape().mode(0).isTuple())
    return tile;
  std::vector<IntTuple> keep(domain.shape().mode(0).rank(), IntTuple(Leaf::keep()));
  std::vector<IntTuple> all = {IntTuple(keep)};
  for (size_t i = 1; i < domain.rank(); ++i)
    all.push_back(IntTuple(Leaf::keep()));
  return sliced(e, tile, IntTuple(std::move(all)), call.range);
}

Value recast(Elaborator &e, BoundCall &call) {
  Type type = requireType(e, call[1], call.ranges[1], "the element type");
  if (auto *fragment = objectAs<Fragment>(call[0]))
    return recastFragment(e, *fragment, elementOf(e, call, 1), call.range, call.ranges[0]);
  auto *tensor = call[0].as<TensorValue>();
  if (!tensor || tensor->record)
    e.fail(diag::wrong_argument_type, call.ranges[0],
           {"recast", "a tensor or fragment of numbers", "tensor", describe(call[0])});
  auto &b = e.ir(call.range, "recast");
  if (type.isVector())
    e.fail(diag::not_a_type, call.ranges[1], {"`" + type.text() + "`, but only an element type is allowed here"});
  auto element = memoryType(e, type.number);
  if (auto result = ir::recastType(llvm::cast<ir::TensorType>(tensor->value.getType()), element); !result)
    e.fail(diag::no_layout, call.ranges[0], {"recast", result.text()});
  TensorValue result = *tensor;
  result.element = type.number;
  result.value = ir::RecastOp::create(b, e.location(call.range), tensor->value, element);
  return Value(result);
}

const Builtin tensorRows[] = {
    {"fragment", "type, shape, allow_scratch=, *, at=",
     "registers of a thread, indexed through a layout or a row-major shape; their contents are unspecified until "
     "written. More registers than a lane has are an error, unless `allow_scratch=True`. `at=reg.v[96:160]` chooses "
     "the registers",
     makeFragmentOf},
    {"make_fragment_like", "view, type=, *, at=",
     "a fragment with the shape of a tensor, fragment or coordinate tensor; mode 0 is contiguous, the other modes "
     "follow the order of its strides",
     makeFragmentLikeOf},
    {"identity_tensor", "shape",
     "the tensor whose element at each coordinate is the coordinate itself; divided like the data, it tells where "
     "each element lies",
     identityTensor},
    {"elem_less", "coordinates, bound",
     "whether a coordinate is below the bound in every mode; for a coordinate tensor, a fragment of bools",
     elementsLess},
    {"local_tile", "tensor, tiler, coordinate",
     "the tile at a coordinate in the grid of tiles: `zipped_divide(tensor, tiler)[(_, ...), coordinate]`, "
     "flattened; `_` keeps a mode of tiles",
     localTile},
    {"recast", "tensor, type",
     "the same memory or registers with another element type; the extent of the mode of stride 1 changes accordingly",
     recast},
};
} // namespace

llvm::ArrayRef<Builtin> tensorBuiltins() { return tensorRows; }

} // namespace fly::sema
