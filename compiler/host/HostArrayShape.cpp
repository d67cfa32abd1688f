// Rearranging host arrays: reshape, transpose, repeat, subscripts.
//
// Every operation is a gather: a list of axes with extents and strides into the source, and a start. Only
// how the list is made differs:
//
//     x of shape (4, 6)      extents  strides   start
//     x.T                    (6, 4)   (1, 6)    0
//     x[1, 5:0:-2]           (3,)     (-2,)     6 + 5
//     broadcast to (2, 4, 6) (2, 4, 6) (0, 6, 1) 0
#include "compiler/host/HostArrayInternal.h"

#include <algorithm>

namespace fly::host {

static ArrayResult gather(const HostArray &x, const Shape &shape, const Shape &strides, int64_t start) {
  ArrayResult r = makeArray(shape, x.kind, x.type);
  if (!r.ok())
    return r;
  if (!x.poisoned.empty())
    ensureMask(r.value);
  walk<1>(shape, {strides}, [&](int64_t flat, const std::array<int64_t, 1> &at) {
    const int64_t from = start + at[0];
    r.value.elements.copy(flat, x.elements, from);
    if (!x.poisoned.empty())
      r.value.poisoned.set(flat, x.poisoned.get(from));
  });
  return r;
}

ArrayResult broadcastTo(const HostArray &x, const Shape &shape) {
  auto both = broadcastShape(x.shape, shape);
  if (!both.ok() || both.value != shape)
    return failure("cannot broadcast " + toText(x.shape) + " to " + toText(shape));
  return gather(x, shape, broadcastStrides(x.shape, shape), 0);
}

ArrayResult transpose(const HostArray &x, llvm::ArrayRef<int64_t> order) {
  size_t rank = x.shape.size();
  Shape reversed;
  for (size_t i = rank; order.empty() && i-- > 0;)
    reversed.push_back(int64_t(i));
  if (order.empty())
    order = reversed;
  Shape own = rowMajorStrides(x.shape), shape, strides;
  std::vector<bool> used(rank, false);
  for (int64_t axis : order) {
    auto at = checkAxis(axis, x.shape);
    if (!at.ok())
      return failure(at.error);
    if (used[at.value])
      return failure("`transpose` names axis " + std::to_string(axis) + " twice");
    used[at.value] = true;
    shape.push_back(x.shape[at.value]);
    strides.push_back(own[at.value]);
  }
  if (shape.size() != rank)
    return failure("`transpose` of shape " + toText(x.shape) + " needs " + std::to_string(rank) + " axes, found " +
                   std::to_string(shape.size()));
  return gather(x, shape, strides, 0);
}

ArrayResult transposeLast(const HostArray &x) {
  size_t rank = x.shape.size();
  if (rank < 2)
    return failure("`.T` needs at least two axes, found shape " + toText(x.shape));
  Shape shape = x.shape, strides = rowMajorStrides(x.shape);
  std::swap(shape[rank - 1], shape[rank - 2]);
  std::swap(strides[rank - 1], strides[rank - 2]);
  return gather(x, shape, strides, 0);
}

ArrayResult reshape(const HostArray &x, const Shape &wanted) {
  Shape shape = wanted;
  int64_t known = 1;
  std::optional<size_t> open;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == -1 && !open)
      open = i;
    else if (shape[i] < 0 || __builtin_mul_overflow(known, shape[i], &known))
      return failure("`reshape` to " + toText(wanted) + " is not a shape");
  }
  if (open && known != 0 && x.size() % known == 0)
    shape[*open] = x.size() / known;
  else if (open || known != x.size())
    return failure("cannot reshape " + toText(x.shape) + ", " + std::to_string(x.size()) + " elements, to " +
                   toText(wanted));
  HostArray y = x;
  y.shape = shape;
  return {std::move(y), ""};
}

ArrayResult repeat(const HostArray &x, int64_t count, int64_t axis) {
  auto at = checkAxis(axis, x.shape);
  if (!at.ok())
    return failure(at.error);
  if (count < 0)
    return failure("`repeat` needs a count of at least 0");
  // As a gather from (..., n, inner) seen as (..., n, count, inner), with stride 0 along the copies.
  Shape shape = x.shape, strides = rowMajorStrides(x.shape);
  shape.insert(shape.begin() + int64_t(at.value) + 1, count);
  strides.insert(strides.begin() + int64_t(at.value) + 1, 0);
  ArrayResult r = gather(x, shape, strides, 0);
  if (!r.ok())
    return r;
  r.value.shape = x.shape;
  if (__builtin_mul_overflow(r.value.shape[at.value], count, &r.value.shape[at.value]))
    return failure("`repeat` makes too large an array");
  return r;
}

// --- Subscripts ---

namespace {
struct Selection {
  Shape shape, strides;
  int64_t start = 0;
  std::string error;
};
} // namespace

/// Python's slice.indices: where a slice begins, how many elements it has.
static void resolveSlice(const Subscript &s, int64_t extent, int64_t step, int64_t &first, int64_t &count) {
  auto clamp = [&](int64_t i) {
    if (i < 0)
      i += extent; // cannot overflow: extent is not negative
    return std::clamp<int64_t>(i, step < 0 ? -1 : 0, step < 0 ? extent - 1 : extent);
  };
  first = s.start ? clamp(*s.start) : step < 0 ? extent - 1 : 0;
  int64_t stop = s.stop ? clamp(*s.stop) : step < 0 ? -1 : extent;
  int64_t span = step < 0 ? first - stop : stop - first;
  uint64_t stride = step < 0 ? -uint64_t(step) : uint64_t(step);
  count = span <= 0 ? 0 : int64_t(uint64_t(span - 1) / stride) + 1;
}

static Selection select(const HostArray &x, llvm::ArrayRef<Subscript> subscripts) {
  Selection s;
  if (subscripts.size() > x.shape.size()) {
    s.error = std::to_string(subscripts.size()) + " subscripts for an array of shape " + toText(x.shape);
    return s;
  }
  Shape own = rowMajorStrides(x.shape);
  for (size_t axis = 0; axis < x.shape.size(); ++axis) {
    Subscript part;
    part.isSlice = true;
    if (axis < subscripts.size())
      part = subscripts[axis];
    int64_t extent = x.shape[axis];
    if (!part.isSlice) {
      if (part.at < -extent || part.at >= extent) {
        s.error = "index " + std::to_string(part.at) + " is outside of axis " + std::to_string(axis) +
                  " of an array of shape " + toText(x.shape);
        return s;
      }
      s.start += (part.at < 0 ? part.at + extent : part.at) * own[axis];
      continue;
    }
    int64_t step = part.step.value_or(1), first = 0, count = 0;
    if (step == 0) {
      s.error = "a slice's step cannot be 0";
      return s;
    }
    resolveSlice(part, extent, step, first, count);
    s.shape.push_back(count);
    s.strides.push_back(count > 1 ? step * own[axis] : 0); // a huge step has one element
    if (count > 0)
      s.start += first * own[axis];
  }
  return s;
}

ArrayResult subscript(const HostArray &x, llvm::ArrayRef<Subscript> subscripts) {
  Selection s = select(x, subscripts);
  if (!s.error.empty())
    return failure(s.error);
  return gather(x, s.shape, s.strides, s.start);
}

std::string assign(HostArray &x, llvm::ArrayRef<Subscript> subscripts, const HostArray &y) {
  Selection s = select(x, subscripts);
  if (!s.error.empty())
    return s.error;
  ArrayResult spread = broadcastTo(y, s.shape);
  if (!spread.ok())
    return spread.error;
  walk<1>(s.shape, {s.strides}, [&](int64_t flat, const std::array<int64_t, 1> &at) {
    x.set(s.start + at[0], spread.value.at(flat));
    if (spread.value.isPoisoned(flat)) {
      ensureMask(x);
      x.poisoned.set(s.start + at[0], true);
    }
  });
  return {};
}

} // namespace fly::host
