// See KnownRange.h.
#include "compiler/sema/value/KnownRange.h"

namespace fly::sema {

std::optional<KnownRange> KnownRange::of(const Value &value) {
  auto *run = value.as<RangeValue>();
  if (!run)
    return std::nullopt;
  auto start = toInt64((*run->parts)[0]), stop = toInt64((*run->parts)[1]), step = toInt64((*run->parts)[2]);
  if (!start || !stop || !step)
    return std::nullopt;
  return KnownRange{*start, *stop, *step};
}

int64_t KnownRange::size() const {
  // In 128 bits: the distance of two 64-bit bounds does not fit one.
  __int128 distance = step > 0 ? __int128(stop) - start : __int128(start) - stop,
           by = step > 0 ? step : -__int128(step);
  __int128 count = distance <= 0 ? 0 : (distance - 1) / by + 1;
  return count > INT64_MAX ? INT64_MAX : int64_t(count);
}

std::optional<int64_t> KnownRange::find(const Value &value) const {
  Value number = value;
  if (auto *d = value.as<double>())
    if (auto whole = exactInteger(*d))
      number = Value(*whole);
  auto at = toInt64(number);
  if (!at || (!number.is<Int>() && !number.is<bool>()))
    return std::nullopt;
  __int128 offset = __int128(*at) - start;
  if (offset % step != 0 || offset / step < 0 || offset / step >= size())
    return std::nullopt;
  return int64_t(offset / step);
}

} // namespace fly::sema
