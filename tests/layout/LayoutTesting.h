// Shared by the layout tests: layouts from text, and a LeafArithmetic that computes dynamic leaves with numbers, so
// that the dynamic path of an operation can be compared with its static one.
#pragma once

#include "compiler/layout/ComposedLayout.h"

#include <gtest/gtest.h>
#include <memory>

namespace fly::layout {

/// The value, or a test failure with the reason.
template <typename T> T valueOf(Result<T> result) {
  if (!result) {
    ADD_FAILURE() << result.text();
    return T{};
  }
  return *result;
}
template <typename T> std::string errorOf(const Result<T> &result) {
  if (!result)
    return result.text();
  ADD_FAILURE() << "expected an error";
  return "";
}

inline Layout L(const std::string &text) { return valueOf(parseLayout(text)); }
inline IntTuple T(const std::string &text) { return valueOf(parseIntTuple(text)); }

inline std::int64_t offsetAt(const Layout &layout, std::int64_t coordinate) {
  InferringArithmetic arithmetic;
  return valueOf(crd2idx(coordinate, layout, arithmetic)).value;
}
inline std::int64_t sizeOf(const Layout &layout) {
  InferringArithmetic arithmetic;
  return valueOf(size(layout, arithmetic)).value;
}
/// Every offset of a static layout in the order of its one-dimensional coordinate: what "the same function" means.
inline std::vector<std::int64_t> offsetsOf(const Layout &layout) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0, n = sizeOf(layout); i < n; ++i)
    result.push_back(offsetAt(layout, i));
  return result;
}

/// Dynamic leaves stand for numbers: a handle points to the number.
class EvaluatingArithmetic final : public LeafArithmetic {
public:
  Leaf unknown(std::int64_t value, std::int64_t divisibility = 1, unsigned bits = 32) {
    return Leaf::dynamic(bits, divisibility, keep(value));
  }
  std::int64_t number(const Leaf &leaf) const {
    return leaf.isStatic() ? leaf.value : *static_cast<std::int64_t *>(leaf.handle);
  }
  /// The layout with every dynamic leaf replaced by its number; checks that known divisors hold.
  Layout numbers(const Layout &layout) const {
    auto replace = [&](const Leaf &leaf) {
      EXPECT_EQ(number(leaf) % (leaf.isDynamic() ? leaf.divisibility : 1), 0) << layout.text();
      return Leaf::known(number(leaf));
    };
    return {layout.shape().mapLeaves(replace), layout.stride().mapLeaves(replace)};
  }
  /// The layout with the given shape leaves made unknown.
  Layout withUnknownShape(const Layout &layout) {
    return {layout.shape().mapLeaves([&](const Leaf &leaf) { return unknown(leaf.value); }), layout.stride()};
  }

protected:
  void *emit(LeafOperation operation, const Leaf &left, const Leaf &right, unsigned, bool exact) override {
    std::int64_t a = number(left), b = number(right);
    switch (operation) {
    case LeafOperation::Add: return keep(a + b);
    case LeafOperation::Multiply: return keep(a * b);
    case LeafOperation::FloorDivide: EXPECT_TRUE(!exact || a % b == 0); return keep(a / b);
    case LeafOperation::CeilDivide: return keep((a + b - 1) / b);
    case LeafOperation::Remainder: return keep(a % b);
    case LeafOperation::Minimum: return keep(std::min(a, b));
    case LeafOperation::And: return keep(a & b);
    case LeafOperation::Xor: return keep(a ^ b);
    }
    return nullptr;
  }

private:
  void *keep(std::int64_t value) {
    numbersKept.push_back(std::make_unique<std::int64_t>(value));
    return numbersKept.back().get();
  }
  std::vector<std::unique_ptr<std::int64_t>> numbersKept;
};

} // namespace fly::layout
