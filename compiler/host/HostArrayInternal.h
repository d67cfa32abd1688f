// What the HostArray*.cpp files share: making arrays of a shape, and walking several of them at once.
#pragma once

#include "compiler/host/HostArray.h"

#include <array>

namespace fly::host {

/// Elements of a shape, or an error: negative extents, more than 2^31 bytes of elements with so many bits.
Result<int64_t> elementCount(const Shape &shape, unsigned bits);

/// A zero-filled array of the type, or a mathematical one of the kind.
ArrayResult makeArray(const Shape &shape, NumberClass kind, std::optional<Number> type = {});

/// A scalar as an array of this type (or, without type, of this kind) holds it: rounded once, wrapped.
Scalar convert(Scalar value, std::optional<Number> type, NumberClass kind);

inline ArrayResult failure(std::string text) { return {{}, std::move(text)}; }

/// Lets an array carry a poison mask.
inline void ensureMask(HostArray &x) {
  if (x.poisoned.empty())
    x.poisoned.assign(x.size(), false);
}

/// Whether what is unwritten in x is unwritten in a result of that kind. In integers and in formats of few bits the
/// pattern of unwritten memory is a number like others, so it is a hint, which a float would make a certainty.
inline bool keepsMask(const HostArray &x, NumberClass kind) {
  bool isHint = x.kind == NumberClass::Int || (x.type && format(*x.type).saturates());
  return !x.poisoned.empty() && !(isHint && kind == NumberClass::Float);
}

/// The shape two shapes broadcast to, or "cannot broadcast (3, 4) with (5,)".
Result<Shape> broadcastShape(const Shape &x, const Shape &y);
/// Element strides of a row-major array of shape `from` seen as `as`: 0 along the stretched axes.
Shape broadcastStrides(const Shape &from, const Shape &as);

/// Visits the coordinates of `shape` in row-major order: `visit(flat, offsets)` with the offset of each
/// operand, which is sum(index * strides[operand]).
template <size_t N, typename Visit>
void walk(const Shape &shape, const std::array<Shape, N> &strides, Visit visit) {
  for (int64_t extent : shape)
    if (extent == 0)
      return;
  Shape index(shape.size(), 0);
  std::array<int64_t, N> offsets{};
  for (int64_t flat = 0;; ++flat) {
    visit(flat, offsets);
    size_t axis = shape.size();
    while (axis > 0) {
      --axis;
      if (++index[axis] < shape[axis]) {
        for (size_t n = 0; n < N; ++n)
          offsets[n] += strides[n][axis];
        break;
      }
      for (size_t n = 0; n < N; ++n)
        offsets[n] -= strides[n][axis] * (shape[axis] - 1);
      index[axis] = 0;
      if (axis == 0)
        return;
    }
    if (shape.empty())
      return;
  }
}

/// Splits a shape at an axis: elements before it, its extent, elements after it.
struct AxisSplit {
  int64_t outer = 1, extent = 1, inner = 1;
};
AxisSplit splitAt(const Shape &shape, size_t axis);
/// A user's axis as an index, or an error that names the rank.
Result<size_t> checkAxis(int64_t axis, const Shape &shape);

} // namespace fly::host
