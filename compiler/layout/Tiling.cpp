// See Tiling.h.
#include "compiler/layout/Tiling.h"

#include "compiler/layout/Algebra.h"

#include <algorithm>

namespace fly::layout {

namespace {

/// The leaves that reach more than one element, by stride.
std::vector<std::size_t> byStride(const Layout &tiler) {
  std::vector<Leaf> shape = tiler.shape().leaves(), stride = tiler.stride().leaves();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!shape[i].isStatic(1) && !stride[i].isStatic(0))
      order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return stride[a].value < stride[b].value; });
  return order;
}

bool endsBefore(const Hole &hole, const Leaf &total) { return total.isStatic() && total.value <= hole.first; }

std::string describe(const Layout &tiler, const Hole &hole) {
  return "`" + leafText(tiler.shape().leaves()[hole.leaf]) + ":" + leafText(tiler.stride().leaves()[hole.leaf]) +
         "`, leaf " + std::to_string(hole.leaf) + " of the tiler `" + tiler.text() +
         "`, has a stride that is not a multiple of the " + std::to_string(hole.reached) +
         " elements that the smaller strides reach";
}

} // namespace

std::optional<Hole> holeOf(const Layout &tiler) {
  std::vector<Leaf> shape = tiler.shape().leaves(), stride = tiler.stride().leaves();
  std::int64_t reached = 1;
  for (std::size_t i : byStride(tiler)) {
    if (!stride[i].isStatic())
      return std::nullopt;
    if (stride[i].value % reached != 0)
      return Hole{i, reached, stride[i].value / reached * reached};
    if (!shape[i].isStatic() || __builtin_mul_overflow(stride[i].value, shape[i].value, &reached) || reached < 1)
      return std::nullopt; // nothing comes after it
  }
  return std::nullopt;
}

Result<Leaf> spanOf(const Layout &tiler, LeafArithmetic &arithmetic) {
  std::vector<std::size_t> order = byStride(tiler);
  if (order.empty())
    return Leaf::known(1);
  return arithmetic.multiply(tiler.stride().leaves()[order.back()], tiler.shape().leaves()[order.back()]);
}

Result<bool> checkEnd(const Layout &tiler, const Leaf &total, LeafArithmetic &arithmetic) {
  auto hole = holeOf(tiler);
  if (!hole || endsBefore(*hole, total))
    return true;
  FLY_TRY(span, spanOf(tiler, arithmetic));
  if (span.isStatic() && total.divisor() % span.value == 0)
    return true;
  if (!span.isStatic() || !total.isStatic())
    return Error{describe(tiler, *hole) + ": elements between them would be left out, and whether its tiles of " +
                 leafText(span) + " end with the " + leafText(total) + " is known only at run time"};
  FLY_TRY(rest, complement(tiler, total, arithmetic));
  FLY_TRY(inTile, cosize(tiler, arithmetic));
  FLY_TRY(starts, cosize(rest, arithmetic));
  std::int64_t last;
  if (!__builtin_add_overflow(inTile.value - 1, starts.value - 1, &last) && last < total.value)
    return true;
  return Error{describe(tiler, *hole) + ": elements between them would be left out, and its tiles of " +
               leafText(span) + " lead beyond the " + leafText(total)};
}

Error inMode(std::size_t mode, Error error) { return {"mode " + std::to_string(mode) + ": " + error.text}; }

Result<bool> checkDivide(const Layout &layout, const Tile &tiler, LeafArithmetic &arithmetic) {
  if (tiler.kind() == Tile::Kind::Keep || tiler.kind() == Tile::Kind::Extent)
    return true;
  if (tiler.isTuple()) {
    for (std::size_t i = 0; i < tiler.rank() && i < layout.rank(); ++i)
      if (Result<bool> mode = checkDivide(layout.mode(i), tiler.mode(i), arithmetic); !mode)
        return inMode(i, mode.takeError());
    return true;
  }
  auto hole = holeOf(tiler.layout());
  FLY_TRY(total, size(layout, arithmetic));
  if (!hole || endsBefore(*hole, total))
    return true;
  FLY_TRY(inTile, size(filterZeros(tiler.layout()), arithmetic));
  FLY_TRY(rest, complement(tiler.layout(), total, arithmetic));
  FLY_TRY(tiles, size(rest, arithmetic));
  FLY_TRY(met, arithmetic.multiply(inTile, tiles));
  std::string left = met.isStatic() && total.isStatic()
                         ? std::to_string(total.value - met.value) + " of the " + leafText(total) + " elements"
                         : "elements";
  return Error{describe(tiler.layout(), *hole) + ": " + left + " are in no tile"};
}

} // namespace fly::layout
