// Functions of floats over host arrays.
#include "compiler/host/HostArrayMap.h"
#include "compiler/host/HostArrayInternal.h"

namespace fly::host {

ArrayResult map(double (*function)(double), const HostArray &x, bool givesBool) {
  ArrayResult r = makeArray(x.shape, givesBool ? NumberClass::Bool : NumberClass::Float);
  if (!r.ok())
    return r;
  for (int64_t i = 0; i < x.size(); ++i) {
    double value = function(x.number(i));
    if (givesBool)
      r.value.elements.setInteger(i, value != 0);
    else
      r.value.elements.setNumber(i, value);
  }
  if (keepsMask(x, r.value.kind))
    r.value.poisoned = x.poisoned;
  return r;
}

ArrayResult map(double (*function)(double, double), const HostArray &x, const HostArray &y) {
  auto shape = broadcastShape(x.shape, y.shape);
  if (!shape.ok())
    return failure(shape.error);
  ArrayResult r = makeArray(shape.value, NumberClass::Float);
  if (!r.ok())
    return r;
  bool maskX = keepsMask(x, NumberClass::Float), maskY = keepsMask(y, NumberClass::Float), masked = maskX || maskY;
  if (masked)
    ensureMask(r.value);
  walk<2>(shape.value, {broadcastStrides(x.shape, shape.value), broadcastStrides(y.shape, shape.value)},
          [&](int64_t flat, const std::array<int64_t, 2> &at) {
            if (masked)
              r.value.poisoned.set(flat, (maskX && x.isPoisoned(at[0])) || (maskY && y.isPoisoned(at[1])));
            r.value.elements.setNumber(flat, function(x.number(at[0]), y.number(at[1])));
          });
  return r;
}

} // namespace fly::host
