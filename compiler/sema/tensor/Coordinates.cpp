// See Coordinates.h.
#include "compiler/sema/tensor/Coordinates.h"

#include "compiler/dialect/Divisors.h"
#include "compiler/dialect/FlyOps.h"
#include "compiler/sema/value/LayoutObject.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

namespace fly::sema {

using layout::IntTuple;
using layout::Leaf;

/// No memory has more. Offsets in bytes stay far below 2^63.
static constexpr int64_t mostElements = int64_t(1) << 40;

IntTuple Coordinate::of(const Value &item, SourceRange range) {
  if (item.is<ErrorValue>())
    throw Failed{};
  if (auto *slice = item.as<SliceValue>()) {
    for (auto &part : *slice->parts)
      if (!part.isNone())
        e.fail(diag::bad_index, range, {"a tensor", "a slice with bounds; a whole mode is `:`"});
    keeps = true;
    return Leaf::keep();
  }
  auto *object = item.as<LayoutValue>();
  auto *mark = object ? object->object->as<Leaf>() : nullptr;
  if (item.isNone() || (mark && mark->isKeep())) { // as CuTe's `None`; `_`
    keeps = true;
    return Leaf::keep();
  }
  if (auto *elements = item.sequence()) {
    std::vector<IntTuple> modes;
    for (auto &element : *elements)
      modes.push_back(of(element, range));
    return IntTuple(std::move(modes));
  }
  if (auto *m = item.as<MachineValue>()) {
    if (!m->type.isInteger() || m->type.isVector())
      e.fail(diag::bad_index, range, {"a tensor", m->type.text()});
    mlir::Value value = m->value;
    unsigned bits = m->type.format().bits;
    auto &b = e.ir(range, "an index");
    if (bits < 32) {
      auto i32 = b.getI32Type();
      value = m->type.isSigned() ? mlir::arith::ExtSIOp::create(b, e.location(range), i32, value).getResult()
                                 : mlir::arith::ExtUIOp::create(b, e.location(range), i32, value).getResult();
      bits = 32;
    } else if (bits == 32 && !m->type.isSigned()) { // u32 has no sign bit to spare
      value = mlir::arith::ExtUIOp::create(b, e.location(range), b.getI64Type(), value);
      bits = 64;
    }
    dynamic.push_back(value);
    return Leaf::dynamic(bits, ir::divisorOf(value));
  }
  auto i = item.is<double>() ? std::nullopt : toInt64(item);
  if (!i)
    e.fail(diag::bad_index, range, {"a tensor", describe(item)});
  if (*i < 0)
    e.fail(diag::index_out_of_range, range, {std::to_string(*i), "a tensor's mode, which counts from 0"});
  if (*i > mostElements)
    e.fail(diag::index_out_of_range, range, {std::to_string(*i), "a tensor's mode: no memory has that many elements"});
  return Leaf::known(*i);
}

/// How many elements a mode can have whose extent is known at launch.
static int64_t mostOf(const Leaf &extent) {
  return extent.bits == 32 ? std::numeric_limits<int32_t>::max() : mostElements;
}

void checkCoordinates(Elaborator &e, const TensorValue &tensor, const Values &items,
                      llvm::function_ref<SourceRange(size_t)> rangeOf) {
  const auto &layout = llvm::cast<ir::TensorType>(tensor.value.getType()).getDomain();
  for (size_t i = 0; i < items.size(); ++i) {
    auto *m = items[i].as<MachineValue>();
    if (items[i].is<IndexValue>())
      e.report(diag::bad_index, rangeOf(i), {"a tensor", describe(items[i])})
          .help("use one axis: `" + e.diags.sources.text(rangeOf(i)) + ".x`"),
          throw Failed{};
    if (m && m->type.isFloat() && !m->type.isVector())
      e.report(diag::bad_index, rangeOf(i), {"a tensor", m->type.text()})
          .help("convert it: `i32(" + e.diags.sources.text(rangeOf(i)) + ")`"),
          throw Failed{};
    auto *slice = items[i].as<SliceValue>();
    if (slice && llvm::any_of(*slice->parts, [](auto &part) { return !part.isNone(); }))
      e.report(diag::bad_index, rangeOf(i), {"a tensor", "a slice with bounds; a whole mode is `:`"})
          .help("to select a part of a mode, use a tile: `local_tile(t, (tile, ...), (i, ...))` or `zipped_divide(t, "
                "(tile, ...))[:, i]`"),
          throw Failed{};
    if ((m && (!m->type.isInteger() || m->type.isVector())) ||
        (items[i].isCompileTime() && !items[i].isNone() && !items[i].is<LayoutValue>() && !items[i].sequence() &&
         !slice && !items[i].is<Int>() && !items[i].is<bool>()))
      e.fail(diag::bad_index, rangeOf(i), {"a tensor", describe(items[i])});
    auto *known = items[i].as<Int>();
    if (!known)
      continue;
    if (*known < Int(0))
      e.fail(diag::index_out_of_range, rangeOf(i), {toText(items[i]), "a tensor's mode, which counts from 0"});
    layout::InferringArithmetic arithmetic;
    auto size = items.size() == layout.rank() // a number counts the coordinates of a mode of modes
                    ? layout::size(layout.shape().mode(i), arithmetic)
                    : layout::Result<Leaf>(Leaf::dynamic(64));
    if (size && !size->isStatic() && *known >= Int(mostOf(*size)))
      e.fail(diag::index_out_of_range, rangeOf(i),
             {toText(items[i]), "mode " + std::to_string(i) + " of `" + tensor.name + "`, which has at most " +
                                    std::to_string(mostOf(*size))});
    if (!size || !size->isStatic())
      continue;
    if (Int extent(size->value); *known >= extent)
      e.fail(diag::index_out_of_range, rangeOf(i),
             {toText(items[i]),
              "mode " + std::to_string(i) + " of `" + tensor.name + "`, which has " + toText(Value(extent))});
  }
}

} // namespace fly::sema
