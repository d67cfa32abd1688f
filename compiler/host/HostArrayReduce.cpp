// Reductions and prefix sums of host arrays.
//
// They are the reference for kernels that add many numbers in another order, so the reference itself should
// not be what is wrong: float sums are compensated (Neumaier: the error of each addition is kept and added at
// the end), integers are exact.
#include "compiler/host/HostArrayInternal.h"

#include <cmath>

namespace fly::host {

namespace {
/// sum += x; the bits that the addition loses are collected separately.
class CompensatedSum {
  double sum = 0, lost = 0;

public:
  void add(double x) {
    double next = sum + x;
    if (std::isfinite(next))
      lost += std::fabs(sum) >= std::fabs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  double value() const { return std::isfinite(sum) ? sum + lost : sum; }
};

struct ReductionRow {
  Reduction op;
  const char *name;
  NumberClass boolGives;
};
} // namespace

static constexpr ReductionRow rows[] = {
    {Reduction::Sum, "sum", NumberClass::Int},     {Reduction::Prod, "prod", NumberClass::Int},
    {Reduction::Max, "max", NumberClass::Bool},    {Reduction::Min, "min", NumberClass::Bool},
    {Reduction::Mean, "mean", NumberClass::Float}, {Reduction::All, "all", NumberClass::Bool},
    {Reduction::Any, "any", NumberClass::Bool},
};

std::optional<Reduction> reductionByName(llvm::StringRef name) {
  for (const ReductionRow &row : rows)
    if (name == row.name)
      return row.op;
  return std::nullopt;
}

/// One line of `count` elements, `step` apart, beginning at `first`.
static const char *reduceLine(Reduction op, const HostArray &x, int64_t first, int64_t step, int64_t count,
                              Scalar &result) {
  static constexpr const char *overflow = "the integer result needs more than 128 bits";
  auto truth = [&](int64_t i) { return x.number(first + i * step) != 0; };
  switch (op) {
  case Reduction::All:
  case Reduction::Any: {
    bool all = op == Reduction::All, value = all;
    for (int64_t i = 0; i < count; ++i)
      value = all ? value && truth(i) : value || truth(i);
    result = Scalar::ofBool(value);
    return nullptr;
  }
  case Reduction::Sum:
  case Reduction::Mean: {
    if (x.isFloat()) {
      CompensatedSum sum;
      for (int64_t i = 0; i < count; ++i)
        sum.add(x.number(first + i * step));
      result = Scalar::ofFloat(op == Reduction::Mean ? sum.value() / double(count) : sum.value());
      return nullptr;
    }
    Int sum = 0;
    for (int64_t i = 0; i < count; ++i)
      if (__builtin_add_overflow(sum, x.integer(first + i * step), &sum))
        return overflow;
    result = op == Reduction::Mean ? Scalar::ofFloat(double(sum) / double(count)) : Scalar::ofInt(sum);
    return nullptr;
  }
  case Reduction::Prod: {
    Scalar product = x.isFloat() ? Scalar::ofFloat(1) : Scalar::ofInt(1);
    for (int64_t i = 0; i < count; ++i) {
      Scalar next = x.at(first + i * step);
      product.floating *= next.floating;
      if (__builtin_mul_overflow(product.integer, next.integer, &product.integer))
        return overflow;
    }
    result = product;
    return nullptr;
  }
  case Reduction::Max:
  case Reduction::Min: {
    bool wantsMax = op == Reduction::Max;
    Scalar best = x.at(first);
    for (int64_t i = 1; i < count; ++i) {
      Scalar next = x.at(first + i * step);
      best.floating = wantsMax ? std::fmax(best.floating, next.floating) : std::fmin(best.floating, next.floating);
      best.integer = wantsMax ? std::max(best.integer, next.integer) : std::min(best.integer, next.integer);
    }
    result = best;
    return nullptr;
  }
  }
  return "unknown reduction";
}

ArrayResult reduce(Reduction op, const HostArray &x, std::optional<int64_t> axis, bool keep) {
  AxisSplit split{1, x.size(), 1};
  Shape shape(keep ? x.shape.size() : 0, 1);
  if (axis) {
    auto at = checkAxis(*axis, x.shape);
    if (!at.ok())
      return failure(at.error);
    split = splitAt(x.shape, at.value);
    shape = x.shape;
    if (keep)
      shape[at.value] = 1;
    else
      shape.erase(shape.begin() + int64_t(at.value));
  }
  const ReductionRow &row = rows[size_t(op)];
  bool extremum = op == Reduction::Max || op == Reduction::Min;
  if (split.extent == 0 && extremum)
    return failure("`" + std::string(row.name) + "` of no elements");
  bool truth = op == Reduction::All || op == Reduction::Any;
  NumberClass kind = truth || x.kind == NumberClass::Bool ? row.boolGives
                     : op == Reduction::Mean              ? NumberClass::Float
                                                          : x.kind;
  ArrayResult r = makeArray(shape, kind, extremum ? x.type : std::nullopt);
  if (!r.ok())
    return r;
  bool masked = keepsMask(x, kind) || (extremum && !x.poisoned.empty());
  if (masked)
    ensureMask(r.value);
  for (int64_t outer = 0; outer < split.outer; ++outer)
    for (int64_t inner = 0; inner < split.inner; ++inner) {
      int64_t first = outer * split.extent * split.inner + inner, out = outer * split.inner + inner;
      Scalar value;
      if (const char *reason = reduceLine(op, x, first, split.inner, split.extent, value))
        return failure(std::string(reason) + " in `" + row.name + "`");
      r.value.set(out, value);
      if (masked)
        for (int64_t i = 0; i < split.extent; ++i)
          if (x.isPoisoned(first + i * split.inner))
            r.value.poisoned.set(out, true);
    }
  return r;
}

ArrayResult cumsum(const HostArray &x, int64_t axis) {
  auto at = checkAxis(axis, x.shape);
  if (!at.ok())
    return failure(at.error);
  ArrayResult r = makeArray(x.shape, x.isFloat() ? NumberClass::Float : NumberClass::Int);
  if (!r.ok())
    return r;
  AxisSplit split = splitAt(x.shape, at.value);
  if (!x.poisoned.empty())
    ensureMask(r.value);
  for (int64_t outer = 0; outer < split.outer; ++outer)
    for (int64_t inner = 0; inner < split.inner; ++inner) {
      CompensatedSum sum;
      Int whole = 0;
      bool poison = false;
      for (int64_t i = 0; i < split.extent; ++i) {
        const int64_t element = (outer * split.extent + i) * split.inner + inner;
        poison |= x.isPoisoned(element);
        if (!x.poisoned.empty())
          r.value.poisoned.set(element, poison);
        if (x.isFloat()) {
          sum.add(x.number(element));
          r.value.elements.setNumber(element, sum.value());
        } else {
          if (__builtin_add_overflow(whole, x.integer(element), &whole))
            return failure("the integer result needs more than 128 bits in `cumsum`");
          r.value.elements.setInteger(element, whole);
        }
      }
    }
  return r;
}

} // namespace fly::host
