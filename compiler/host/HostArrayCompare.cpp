// Comparing what a kernel wrote with what it should have written, and saying what differs.
//
//     3 of 1000 elements differ, largest error 2 ulp
//       [0, 7]  expected 0.5, got 0.50098, 2 ulp
//
// An unwritten result is reported as such. For floats and bool the poison is certain, so it differs even where NaN is
// expected; an integer that equals its expected value is right, whatever its bits.
#include "compiler/host/HostArrayInternal.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace fly::host {

static constexpr size_t shownDifferences = 8;

static bool bothIntegers(const Scalar &a, const Scalar &b) {
  return a.kind != NumberClass::Float && b.kind != NumberClass::Float;
}
/// |a - b| of two integers, exact before it becomes a double where 128 bits hold it.
static double integerDistance(const Scalar &a, const Scalar &b) {
  Int difference;
  if (__builtin_sub_overflow(a.integer, b.integer, &difference))
    return std::fabs(double(a.integer) - double(b.integer));
  return std::fabs(double(difference));
}

template <typename Matches>
static Comparison compare(const HostArray &got, const HostArray &expected, std::optional<Number> format_,
                          Matches matches) {
  Comparison result;
  result.format = format_ ? *format_ : got.type ? *got.type : got.isFloat() ? Number::F64 : Number::I64;
  auto shape = broadcastShape(got.shape, expected.shape);
  if (!shape.ok() || shape.value != got.shape) {
    result.error = "cannot compare shape " + toText(got.shape) + " with expected shape " + toText(expected.shape);
    return result;
  }
  result.total = got.size();
  Shape strides = rowMajorStrides(got.shape);
  walk<2>(got.shape, {strides, broadcastStrides(expected.shape, got.shape)},
          [&](int64_t flat, const std::array<int64_t, 2> &at) {
            Scalar g = got.at(at[0]), e = expected.at(at[1]);
            bool poison = got.isPoisoned(at[0]);
            bool isHint = got.kind == NumberClass::Int || (got.type && format(*got.type).saturates());
            bool same = matches(g, e) && !(poison && !isHint);
            double ulps =
                bothIntegers(g, e) ? integerDistance(g, e) : ulpDistance(result.format, g.toDouble(), e.toDouble());
            if (!poison && std::isfinite(ulps)) {
              result.maxUlps = std::max(result.maxUlps, ulps);
              result.maxError = std::max(result.maxError, std::fabs(g.toDouble() - e.toDouble()));
            }
            if (same)
              return;
            if (result.differing++ < int64_t(shownDifferences)) {
              Difference difference{{}, e, g, ulps, poison};
              for (size_t axis = 0; axis < got.shape.size(); ++axis)
                difference.index.push_back(flat / strides[axis] % got.shape[axis]);
              result.first.push_back(std::move(difference));
            }
          });
  return result;
}

static bool equal(const Scalar &a, const Scalar &b) {
  if (bothIntegers(a, b))
    return a.integer == b.integer;
  double x = a.toDouble(), y = b.toDouble();
  return x == y || (std::isnan(x) && std::isnan(y));
}

Comparison compareClose(const HostArray &got, const HostArray &expected, double rtol, double atol,
                        std::optional<Number> format_, double ulps) {
  Number unit = format_ ? *format_ : got.type ? *got.type : got.isFloat() ? Number::F64 : Number::I64;
  return compare(got, expected, format_, [&](const Scalar &g, const Scalar &e) {
    if (equal(g, e))
      return true;
    double x = g.toDouble(), y = e.toDouble();
    if (!std::isfinite(x) || !std::isfinite(y))
      return false;
    double error = bothIntegers(g, e) ? integerDistance(g, e) : std::fabs(x - y);
    if (error <= atol + rtol * std::fabs(y))
      return true;
    return ulps > 0 && (bothIntegers(g, e) ? error : ulpDistance(unit, x, y)) <= ulps;
  });
}

Comparison compareEqual(const HostArray &got, const HostArray &expected, std::optional<Number> format) {
  return compare(got, expected, format, equal);
}

static std::string inUlps(double ulps) {
  if (std::isinf(ulps))
    return "";
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, ulps < 1e6 ? "%.4g ulp" : "%.3e ulp", ulps);
  return buffer;
}

static std::string indexText(const Shape &index) {
  std::string text = "[";
  for (size_t i = 0; i < index.size(); ++i)
    text += (i ? ", " : "") + std::to_string(index[i]);
  return text + "]";
}

std::string describe(const Comparison &c) {
  if (!c.error.empty())
    return "  " + c.error + "\n";
  if (c.differing == 0)
    return "  all " + std::to_string(c.total) + " elements agree\n";
  bool floating = format(c.format).isFloat();
  std::string text = "  " + std::to_string(c.differing) + " of " + std::to_string(c.total) + " elements differ";
  if (floating && c.maxUlps > 0)
    text += ", largest error " + inUlps(c.maxUlps);
  text += "\n";
  for (const Difference &d : c.first) {
    text += "    " + indexText(d.index) + "  expected " + toText(d.expected, c.format);
    bool certain = d.unwritten && d.got.kind != NumberClass::Int;
    text += certain ? ", got nothing: never written" : ", got " + toText(d.got, c.format);
    if (d.unwritten && !certain)
      text += " (the pattern of unwritten memory)";
    else if (floating && !certain && std::isfinite(d.ulps))
      text += ", " + inUlps(d.ulps);
    text += "\n";
  }
  if (c.differing > int64_t(c.first.size()))
    text += "    ... and " + std::to_string(c.differing - int64_t(c.first.size())) + " more\n";
  return text;
}

// --- Text of arrays ---

std::string toText(const Shape &shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string toText(Scalar value, std::optional<Number> type) {
  switch (value.kind) {
  case NumberClass::Bool: return value.integer ? "True" : "False";
  case NumberClass::Int: return toText(value.integer);
  case NumberClass::Float: return toText(type && format(*type).isFloat() ? *type : Number::F64, value.floating);
  }
  return "";
}

/// An axis of more than eight shows its first and last three, as NumPy does.
static void textOfAxis(const HostArray &x, size_t axis, int64_t start, const Shape &strides, std::string &text) {
  if (axis == x.shape.size()) {
    text += x.isPoisoned(start) ? "unwritten" : toText(x.at(start), x.type);
    return;
  }
  text += "[";
  int64_t extent = x.shape[axis];
  for (int64_t i = 0; i < extent; ++i) {
    if (extent > 8 && i == 3) {
      text += ", ...";
      i = extent - 3;
    }
    if (i)
      text += ", ";
    textOfAxis(x, axis + 1, start + i * strides[axis], strides, text);
  }
  text += "]";
}

std::string toText(const HostArray &x) {
  std::string text;
  textOfAxis(x, 0, 0, rowMajorStrides(x.shape), text);
  return text;
}

} // namespace fly::host
