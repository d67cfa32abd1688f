// Host arrays: making them, converting them, and the shape arithmetic that the other files use.
#include "compiler/host/HostArrayInternal.h"
#include "compiler/host/HostArrayLimits.h"

#include <algorithm>
#include <cmath>

namespace fly::host {

int64_t arrayByteLimit = int64_t(1) << 31;

Result<int64_t> elementCount(const Shape &shape, unsigned bits) {
  int64_t count = 1;
  for (int64_t extent : shape)
    if (extent < 0)
      return {0, "an extent of " + toText(shape) + " is negative"};
  bool none = false;
  for (int64_t extent : shape) // also of an empty array the other extents are bounded: loops run over them
    if (__builtin_mul_overflow(count, std::max<int64_t>(extent, 1), &count) || count > arrayByteLimit / bits * 8)
      return {0, "an array of shape " + toText(shape) + " is too large; a host array has at most 2 GiB"};
    else
      none |= extent == 0;
  return {none ? 0 : count, ""};
}

ArrayResult makeArray(const Shape &shape, NumberClass kind, std::optional<Number> type) {
  auto count = elementCount(shape, Elements::bitsOf(type, kind));
  if (!count.ok())
    return failure(count.error);
  HostArray x;
  x.type = type;
  x.kind = kind;
  x.shape = shape;
  x.elements = Elements(type, kind, count.value);
  return {std::move(x), ""};
}

ArrayResult arrayOfNumbers(const Shape &shape, const std::vector<double> &elements) {
  ArrayResult r = makeArray(shape, NumberClass::Float);
  if (r.ok() && r.value.size())
    r.value.elements.readFrom(reinterpret_cast<const char *>(elements.data()));
  return r;
}
ArrayResult arrayOfIntegers(const Shape &shape, const std::vector<Int> &elements) {
  ArrayResult r = makeArray(shape, NumberClass::Int);
  if (r.ok() && r.value.size())
    r.value.elements.readFrom(reinterpret_cast<const char *>(elements.data()));
  return r;
}

std::vector<double> HostArray::numbers() const {
  std::vector<double> all(static_cast<size_t>(size()));
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = number(int64_t(i));
  return all;
}
std::vector<Int> HostArray::integers() const {
  std::vector<Int> all(static_cast<size_t>(size()));
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = integer(int64_t(i));
  return all;
}

Scalar convert(Scalar value, std::optional<Number> type, NumberClass kind) {
  bool fromFloat = value.kind == NumberClass::Float;
  if (type) {
    const NumberFormat &f = format(*type);
    if (f.isFloat())
      return Scalar::ofFloat(fromFloat ? roundTo(*type, value.floating)
                                       : decode(*type, encodeInteger(*type, value.integer)));
    Int integer = fromFloat ? truncate(*type, value.floating) : wrap(*type, value.integer);
    return {f.kind, integer, 0};
  }
  switch (kind) {
  case NumberClass::Float: return Scalar::ofFloat(value.toDouble());
  case NumberClass::Int: return Scalar::ofInt(fromFloat ? truncate(Number::I64, value.floating) : value.integer);
  case NumberClass::Bool: return Scalar::ofBool(fromFloat ? value.floating != 0 : value.integer != 0);
  }
  return value;
}

Scalar HostArray::at(int64_t flat) const {
  if (kind == NumberClass::Float)
    return Scalar::ofFloat(number(flat));
  return {kind, integer(flat), 0};
}

void HostArray::set(int64_t flat, Scalar value) {
  Scalar held = convert(value, type, kind);
  if (kind == NumberClass::Float)
    elements.setNumber(flat, held.floating);
  else
    elements.setInteger(flat, held.integer);
  if (!poisoned.empty())
    poisoned.set(flat, false);
}

ArrayResult scalarArray(Scalar value) { return full({}, value, std::nullopt); }

ArrayResult full(const Shape &shape, Scalar value, std::optional<Number> type) {
  ArrayResult r = makeArray(shape, type ? format(*type).kind : value.kind, type);
  if (!r.ok())
    return r;
  Scalar held = convert(value, type, r.value.kind);
  if (r.value.isFloat())
    r.value.elements.fillNumber(held.floating);
  else
    r.value.elements.fillInteger(held.integer);
  return r;
}

ArrayResult zeros(const Shape &shape, Number type) { return full(shape, Scalar::ofInt(0), type); }

ArrayResult empty(const Shape &shape, Number type) {
  ArrayResult r = zeros(shape, type);
  if (!r.ok())
    return r;
  // The values are what the memory would read as: NaN for floats, the pattern for integers.
  if (format(type).isFloat())
    r.value.elements.fillNumber(decode(type, format(type).poison));
  else
    r.value.elements.fillInteger(decodeInteger(type, format(type).poison));
  r.value.poisoned.assign(r.value.size(), true);
  return r;
}

/// SplitMix64's finaliser: a bijection of 64 bits in which each input bit moves each output bit.
static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static ArrayResult randomFloats(HostArray x, Number type, uint64_t start, double lo, double hi) {
  if (!(lo < hi) || !std::isfinite(hi - lo))
    return failure("`random` needs finite `lo` below `hi`, not " + toText(lo) + " and " + toText(hi));
  for (int64_t i = 0; i < x.size(); ++i) {
    double unit = double(mix(start + (uint64_t(i) + 1) * 0x9E3779B97F4A7C15u) >> 11) * 0x1p-53;
    double value = roundTo(type, lo + unit * (hi - lo));
    // Rounding may reach the open end.
    x.elements.setNumber(i, value < hi ? value : nextBelow(type, roundTo(type, hi)));
  }
  return {std::move(x), ""};
}

static ArrayResult randomIntegers(HostArray x, Number type, uint64_t start, Int lo, Int hi) {
  if (lo >= hi || lo < lowestInteger(type) || hi - 1 > largestInteger(type))
    return failure("`random` of " + std::string(format(type).name) + " needs `lo` below `hi` within the type, not " +
                   toText(lo) + " and " + toText(hi));
  auto span = static_cast<unsigned __int128>(hi - lo);
  for (int64_t i = 0; i < x.size(); ++i)
    x.elements.setInteger(i, lo + Int((mix(start + (uint64_t(i) + 1) * 0x9E3779B97F4A7C15u) * span) >> 64));
  return {std::move(x), ""};
}

ArrayResult random(const Shape &shape, Number type, uint64_t seed, std::optional<Scalar> lo, std::optional<Scalar> hi) {
  const NumberFormat &f = format(type);
  ArrayResult r = makeArray(shape, f.kind, type);
  if (!r.ok())
    return r;
  uint64_t start = mix(seed ^ 0x6A09E667F3BCC909u);
  if (f.isFloat())
    return randomFloats(std::move(r.value), type, start, lo ? lo->toDouble() : -1.0, hi ? hi->toDouble() : 1.0);
  Number usual = f.isBool() || f.bits < 8 ? type : f.isSigned ? Number::I8 : Number::U8;
  auto bound = [](std::optional<Scalar> given, Int otherwise) {
    return given ? convert(*given, std::nullopt, NumberClass::Int).integer : otherwise;
  };
  return randomIntegers(std::move(r.value), type, start, bound(lo, lowestInteger(usual)),
                        bound(hi, largestInteger(usual) + 1));
}

ArrayResult arange(Scalar lo, Scalar hi, Scalar step, std::optional<Number> type) {
  bool floating = lo.kind == NumberClass::Float || hi.kind == NumberClass::Float || step.kind == NumberClass::Float;
  double count = 0;
  if (step.toDouble() == 0 || std::isnan(step.toDouble()))
    return failure("`arange` needs a step other than 0");
  if (floating) {
    count = std::ceil((hi.toDouble() - lo.toDouble()) / step.toDouble());
  } else {
    Int span = 0; // exact: the count decides the shape
    if (__builtin_sub_overflow(hi.integer, lo.integer, &span))
      return failure("`arange` is too long");
    Int whole = span / step.integer;
    bool rest = span % step.integer != 0 && (span < 0) == (step.integer < 0);
    count = double(whole + rest);
  }
  if (!(count < 0x1p62))
    return failure("`arange` is too long");
  ArrayResult r = full({count > 0 ? int64_t(count) : 0}, floating ? Scalar::ofFloat(0) : Scalar::ofInt(0), type);
  if (!r.ok())
    return r;
  for (int64_t i = 0; i < r.value.size(); ++i)
    r.value.set(i, floating ? Scalar::ofFloat(lo.toDouble() + double(i) * step.toDouble())
                            : Scalar::ofInt(lo.integer + i * step.integer));
  return r;
}

ArrayResult to(const HostArray &x, Number type, std::optional<bool> saturate) {
  if (x.type == type) { // nothing is out of range
    ArrayResult same{x, ""};
    if (!keepsMask(x, x.kind))
      same.value.poisoned.clear();
    return same;
  }
  ArrayResult r = makeArray(x.shape, format(type).kind, type);
  if (!r.ok())
    return r;
  const bool saturates =
      saturate.value_or(format(type).saturates()) && !(x.type && x.isFloat() && holds(type, *x.type));
  if (saturates != format(type).saturates() || (saturates && !x.isFloat() && format(type).isFloat()))
    for (int64_t i = 0; i < x.size(); ++i)
      if (r.value.isFloat())
        r.value.elements.setBits(i, x.isFloat() ? encode(type, x.number(i), saturates)
                                                : encodeInteger(type, x.integer(i), saturates));
      else // floats saturate anyway
        r.value.elements.setInteger(
            i, x.isFloat() || !saturates ? convert(x.at(i), type, r.value.kind).integer
                                         : std::min(std::max(x.integer(i), lowestInteger(type)), largestInteger(type)));
  else if (x.isFloat() && r.value.isFloat()) // the common case, without the detour over Scalar
    for (int64_t i = 0; i < x.size(); ++i)
      r.value.elements.setBits(i, encode(type, x.number(i)));
  else
    for (int64_t i = 0; i < x.size(); ++i)
      r.value.set(i, x.at(i));
  if (keepsMask(x, r.value.kind))
    r.value.poisoned = x.poisoned;
  return r;
}

// --- Shapes ---

Result<Shape> broadcastShape(const Shape &x, const Shape &y) {
  const Shape &longer = x.size() >= y.size() ? x : y, &shorter = x.size() >= y.size() ? y : x;
  Shape shape = longer;
  size_t lead = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    int64_t a = longer[lead + i], b = shorter[i];
    if (a != b && a != 1 && b != 1)
      return {{}, "cannot broadcast " + toText(x) + " with " + toText(y)};
    shape[lead + i] = a == 1 ? b : a;
  }
  return {shape, ""};
}

Shape rowMajorStrides(const Shape &shape) {
  Shape strides(shape.size());
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    if (__builtin_mul_overflow(step, std::max<int64_t>(shape[i], 1), &step))
      step = 0; // only for shapes that `elementCount` refuses
  }
  return strides;
}

Shape broadcastStrides(const Shape &from, const Shape &as) {
  Shape own = rowMajorStrides(from), strides(as.size(), 0);
  size_t lead = as.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i)
    strides[lead + i] = from[i] == 1 ? 0 : own[i];
  return strides;
}

AxisSplit splitAt(const Shape &shape, size_t axis) {
  AxisSplit split;
  for (size_t i = 0; i < shape.size(); ++i)
    (i < axis ? split.outer : i == axis ? split.extent : split.inner) *= shape[i];
  return split;
}

Result<size_t> checkAxis(int64_t axis, const Shape &shape) {
  int64_t rank = int64_t(shape.size());
  if (axis < -rank || axis >= rank)
    return {0, "axis " + std::to_string(axis) + " does not exist in an array of shape " + toText(shape)};
  return {size_t(axis < 0 ? axis + rank : axis), ""};
}

} // namespace fly::host
