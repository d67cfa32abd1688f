// Folding, width and divisibility of leaf arithmetic; see LeafArithmetic.h.
#include "compiler/layout/LeafArithmetic.h"

#include <algorithm>
#include <numeric>

namespace fly::layout {

namespace {

Error overflow(const char *sign, const Leaf &left, const Leaf &right) {
  return {"`" + std::to_string(left.value) + " " + sign + " " + std::to_string(right.value) +
          "` does not fit in 64 bits"};
}

/// `_` is not a number, and divisors must be positive.
Result<bool> checkOperands(const Leaf &left, const Leaf &right) {
  if (left.isKeep() || right.isKeep())
    return Error{"`_` marks a mode that is kept and has no value"};
  return true;
}
/// A scaled basis is not a number.
Result<bool> checkNumbers(const Leaf &left, const Leaf &right) {
  FLY_CHECK(checkOperands(left, right));
  for (const Leaf *leaf : {&left, &right})
    if (leaf->isBasis())
      return Error{"`" + leafText(*leaf) + "` is a step along a mode of a coordinate; expected a number"};
  return true;
}
Result<bool> checkDivision(const Leaf &left, const Leaf &right) {
  FLY_CHECK(checkNumbers(left, right));
  if (right.isStatic() && right.value <= 0)
    return Error{"division by `" + std::to_string(right.value) + "`; a divisor must be positive"};
  if (left.isStatic() && left.value < 0)
    return Error{"division of the negative `" + std::to_string(left.value) + "`"};
  return true;
}

std::int64_t commonDivisor(const Leaf &left, const Leaf &right) {
  return std::max<std::int64_t>(1, std::gcd(left.divisor(), right.divisor()));
}

/// Known facts about `left / right` if `right` is known and divides `left` exactly.
std::int64_t quotientDivisor(const Leaf &left, const Leaf &right) {
  return right.isStatic() && left.divisor() % right.value == 0 ? std::max<std::int64_t>(1, left.divisor() / right.value)
                                                               : 1;
}

} // namespace

Leaf LeafArithmetic::dynamicResult(LeafOperation operation, const Leaf &left, const Leaf &right,
                                   std::int64_t divisibility, bool exact) {
  unsigned bits = std::max(left.width(), right.width());
  return Leaf::dynamic(bits, divisibility, emit(operation, left, right, bits, exact));
}

namespace {

Leaf withPath(Leaf leaf, const std::vector<std::uint32_t> &path) {
  leaf.path = path;
  return leaf;
}

} // namespace

Result<Leaf> LeafArithmetic::add(const Leaf &left, const Leaf &right) {
  FLY_CHECK(checkOperands(left, right));
  if (left.path != right.path)
    return Error{"`" + leafText(left) + "` and `" + leafText(right) + "` are of different kinds and cannot be added"};
  if (left.isBasis()) {
    FLY_TRY(sum, add(withPath(left, {}), withPath(right, {})));
    return withPath(sum, left.path);
  }
  if (left.isStatic() && right.isStatic()) {
    std::int64_t sum;
    if (__builtin_add_overflow(left.value, right.value, &sum))
      return overflow("+", left, right);
    return Leaf::known(sum);
  }
  if (left.isStatic(0))
    return right;
  if (right.isStatic(0))
    return left;
  return dynamicResult(LeafOperation::Add, left, right, commonDivisor(left, right));
}

Result<Leaf> LeafArithmetic::multiply(const Leaf &left, const Leaf &right) {
  FLY_CHECK(checkOperands(left, right));
  if (left.isBasis() && right.isBasis())
    return Error{"`" + leafText(left) + "` and `" + leafText(right) +
                 "` are steps along modes and cannot be multiplied"};
  if (left.isStatic(0) || right.isStatic(0))
    return Leaf::known(0);
  if (left.isBasis() || right.isBasis()) {
    FLY_TRY(product, multiply(withPath(left, {}), withPath(right, {})));
    return withPath(product, left.isBasis() ? left.path : right.path);
  }
  if (left.isStatic() && right.isStatic()) {
    std::int64_t product;
    if (__builtin_mul_overflow(left.value, right.value, &product))
      return overflow("*", left, right);
    return Leaf::known(product);
  }
  if (left.isStatic(1))
    return right;
  if (right.isStatic(1))
    return left;
  std::int64_t divisibility;
  if (__builtin_mul_overflow(left.divisor(), right.divisor(), &divisibility))
    divisibility = std::max(left.divisor(), right.divisor());
  return dynamicResult(LeafOperation::Multiply, left, right, divisibility);
}

Result<Leaf> LeafArithmetic::floorDivide(const Leaf &left, const Leaf &right) {
  FLY_CHECK(checkDivision(left, right));
  if (left.isStatic() && right.isStatic())
    return Leaf::known(left.value / right.value);
  if (right.isStatic(1) || left.isStatic(0))
    return left;
  bool exact = right.isStatic() && left.divisor() % right.value == 0;
  return dynamicResult(LeafOperation::FloorDivide, left, right, quotientDivisor(left, right), exact);
}

Result<Leaf> LeafArithmetic::ceilDivide(const Leaf &left, const Leaf &right) {
  FLY_CHECK(checkDivision(left, right));
  if (left.isStatic() && right.isStatic())
    return Leaf::known(left.value / right.value + (left.value % right.value != 0));
  if (right.isStatic(1) || left.isStatic(0))
    return left;
  if (right.isStatic() && left.divisor() % right.value == 0)
    return floorDivide(left, right);
  return dynamicResult(LeafOperation::CeilDivide, left, right, 1);
}

Result<Leaf> LeafArithmetic::remainder(const Leaf &left, const Leaf &right) {
  FLY_CHECK(checkDivision(left, right));
  if (left.isStatic() && right.isStatic())
    return Leaf::known(left.value % right.value);
  if (left.isStatic(0) || (right.isStatic() && left.divisor() % right.value == 0))
    return Leaf::known(0);
  return dynamicResult(LeafOperation::Remainder, left, right, commonDivisor(left, right));
}

Result<Leaf> LeafArithmetic::minimum(const Leaf &left, const Leaf &right) {
  FLY_CHECK(checkNumbers(left, right));
  if (left.isStatic() && right.isStatic())
    return Leaf::known(std::min(left.value, right.value));
  return dynamicResult(LeafOperation::Minimum, left, right, commonDivisor(left, right));
}

namespace {

Result<bool> checkBits(const Leaf &left, const Leaf &right) {
  FLY_CHECK(checkNumbers(left, right));
  for (const Leaf *leaf : {&left, &right})
    if (leaf->isStatic() && leaf->value < 0)
      return Error{"the bits of the negative `" + std::to_string(leaf->value) + "`"};
  return true;
}

/// The largest power of two that divides both: the low bits below it are 0.
std::int64_t lowBits(const Leaf &leaf) { return leaf.divisor() & -leaf.divisor(); }

} // namespace

Result<Leaf> LeafArithmetic::bitAnd(const Leaf &left, const Leaf &right) {
  FLY_CHECK(checkBits(left, right));
  if (left.isStatic() && right.isStatic())
    return Leaf::known(left.value & right.value);
  if (left.isStatic(0) || right.isStatic(0))
    return Leaf::known(0);
  std::int64_t low = std::max(lowBits(left), lowBits(right));
  for (const Leaf *leaf : {&left, &right})
    if (leaf->isStatic() && leaf->value < low)
      return Leaf::known(0);
  return dynamicResult(LeafOperation::And, left, right, low);
}

Result<Leaf> LeafArithmetic::bitXor(const Leaf &left, const Leaf &right) {
  FLY_CHECK(checkBits(left, right));
  if (left.isStatic() && right.isStatic())
    return Leaf::known(left.value ^ right.value);
  if (left.isStatic(0))
    return right;
  if (right.isStatic(0))
    return left;
  return dynamicResult(LeafOperation::Xor, left, right,
                       std::max<std::int64_t>(1, std::min(lowBits(left), lowBits(right))));
}

} // namespace fly::layout
