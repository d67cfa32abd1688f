// See HostArrayTake.h. The taken axes become one: x is seen as (outer, taken, inner), and the indices as offsets into
// `taken`.
#include "compiler/host/HostArrayTake.h"

#include "compiler/host/HostArrayInternal.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace fly::host {

static int64_t product(const Shape &extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t(1), std::multiplies<>());
}

ArrayResult take(const HostArray &x, size_t axis, llvm::ArrayRef<HostArray> indices) {
  if (axis + indices.size() > x.shape.size())
    return failure(std::to_string(axis + indices.size()) + " subscripts for an array of shape " + toText(x.shape));
  Shape chosen;
  for (const HostArray &index : indices) {
    if (index.kind != NumberClass::Int)
      return failure("an index array must hold integers");
    if (index.type && index.poisoned.any())
      return failure("an index array has elements that were never written");
    auto both = broadcastShape(chosen, index.shape);
    if (!both.ok())
      return failure(both.error + " of index arrays");
    chosen = both.value;
  }
  const Shape taken(x.shape.begin() + int64_t(axis), x.shape.begin() + int64_t(axis + indices.size()));
  const Shape before(x.shape.begin(), x.shape.begin() + int64_t(axis)),
      after(x.shape.begin() + int64_t(axis + indices.size()), x.shape.end());
  std::vector<int64_t> offsets(size_t(product(chosen)), 0);
  for (size_t n = 0; n < indices.size(); ++n) {
    std::string error;
    walk<1>(chosen, {broadcastStrides(indices[n].shape, chosen)}, [&](int64_t flat, const std::array<int64_t, 1> &at) {
      const Int index = indices[n].integer(at[0]);
      const int64_t extent = taken[n];
      if ((index < -extent || index >= extent) && error.empty())
        error = "index " + toText(Scalar::ofInt(index), {}) + " is outside of axis " + std::to_string(axis + n) +
                " of an array of shape " + toText(x.shape);
      const int64_t place = error.empty() ? int64_t(index < 0 ? index + extent : index) : 0;
      offsets[size_t(flat)] = offsets[size_t(flat)] * extent + place;
    });
    if (!error.empty())
      return failure(error);
  }
  Shape shape = before;
  shape.insert(shape.end(), chosen.begin(), chosen.end());
  shape.insert(shape.end(), after.begin(), after.end());
  ArrayResult r = makeArray(shape, x.kind, x.type);
  if (!r.ok() || r.value.size() == 0)
    return r;
  if (!x.poisoned.empty())
    ensureMask(r.value);
  const int64_t inner = product(after), span = product(taken);
  int64_t out = 0;
  for (int64_t outer = 0, n = product(before); outer < n; ++outer)
    for (int64_t offset : offsets)
      for (int64_t k = 0; k < inner; ++k, ++out) {
        const int64_t from = (outer * span + offset) * inner + k;
        r.value.elements.copy(out, x.elements, from);
        if (!x.poisoned.empty())
          r.value.poisoned.set(out, x.poisoned.get(from));
      }
  return r;
}

ArrayResult arrayOf(const Shape &shape, llvm::ArrayRef<Scalar> elements, std::optional<Number> type) {
  NumberClass kind = NumberClass::Bool;
  for (const Scalar &element : elements)
    if (element.kind == NumberClass::Float || kind == NumberClass::Bool)
      kind = element.kind;
  if (elements.empty())
    kind = NumberClass::Float;
  if (type)
    kind = format(*type).isFloat() ? NumberClass::Float : format(*type).isBool() ? NumberClass::Bool : NumberClass::Int;
  ArrayResult r = makeArray(shape, kind, type);
  if (!r.ok())
    return r;
  for (size_t i = 0; i < elements.size(); ++i) {
    const Scalar &element = elements[i];
    if (type && element.kind == NumberClass::Int && format(*type).isInteger() &&
        wrap(*type, element.integer) != element.integer) {
      const std::string name = format(*type).name;
      return {{},
              toText(element.integer) + " does not fit in " + name + "; `array([...]).to(" + name +
                  ")` takes its low bits"};
    }
    r.value.set(int64_t(i), element);
  }
  return r;
}

} // namespace fly::host
