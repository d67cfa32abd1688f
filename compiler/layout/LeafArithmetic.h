// LeafArithmetic: the integer operations that the layout algebra is written with.
//
// One algorithm must serve three uses: inferring types (what is known about the result), lowering (emit instructions
// for the unknown part) and `flyc eval` (numbers only). So the algebra never touches `+` or `/` on leaves; it calls
// this class, which folds what is known, derives width and divisibility of what is not, and leaves only the making of
// the dynamic value to a hook:
//
//   multiply(8, ?{div=4})   ->  ?{div=32}, handle = emit(Multiply, 8, ?, 32 bits)
//   ceilDivide(?{div=8}, 4) ->  ?{div=2},  an exact division
//   add(3, 2^63 - 1)        ->  error: overflow is refused, never wrapped
//
// A scaled basis (`4@1`) is multiplied by integers and added to its own kind: multiply(3, 4@1) -> 12@1.
//
// Extents, strides and coordinates are not negative at run time, so division and remainder may be unsigned. Dynamic
// values of the algebra do not overflow their width: that is the launch check's promise.
#pragma once

#include "compiler/layout/IntTuple.h"

namespace fly::layout {

enum class LeafOperation { Add, Multiply, FloorDivide, CeilDivide, Remainder, Minimum, And, Xor };

class LeafArithmetic {
public:
  virtual ~LeafArithmetic() = default;

  Result<Leaf> add(const Leaf &left, const Leaf &right);
  Result<Leaf> multiply(const Leaf &left, const Leaf &right);
  /// Rounds towards zero; what the divisor divides exactly is known to be exact.
  Result<Leaf> floorDivide(const Leaf &left, const Leaf &right);
  /// Rounds up.
  Result<Leaf> ceilDivide(const Leaf &left, const Leaf &right);
  Result<Leaf> remainder(const Leaf &left, const Leaf &right);
  Result<Leaf> minimum(const Leaf &left, const Leaf &right);
  /// Bitwise operations on two non-negative numbers, as swizzles need them.
  Result<Leaf> bitAnd(const Leaf &left, const Leaf &right);
  Result<Leaf> bitXor(const Leaf &left, const Leaf &right);

protected:
  /// The handle of the result of an operation on two leaves, at least one of them dynamic, in `bits` bits. A static or
  /// narrower operand must be extended to that width. `exact` means that a division has no remainder.
  virtual void *emit(LeafOperation operation, const Leaf &left, const Leaf &right, unsigned bits, bool exact) = 0;

private:
  Leaf dynamicResult(LeafOperation operation, const Leaf &left, const Leaf &right, std::int64_t divisibility,
                     bool exact = false);
};

/// Infers only: dynamic results have no handle.
class InferringArithmetic final : public LeafArithmetic {
protected:
  void *emit(LeafOperation, const Leaf &, const Leaf &, unsigned, bool) override { return nullptr; }
};

} // namespace fly::layout
