// EmittingArithmetic: the LeafArithmetic whose dynamic leaves are SSA values.
//
// A dynamic leaf is a sum of three parts that an address keeps apart: `lane` differs between the lanes of a wave,
// `uniform` does not, `constant` is known. They stay separate up to the address, also through products:
//
//   (thread_id.x + block_id.x * 8 + 3) * 32   lane = muli %tid, 32   uniform = muli (muli %bid, 8), 32   constant = 96
//
// so that a memory access has its lane part in a vector register, its uniform part in scalar registers and its constant
// in the instruction.
//
// Leaves are not negative and do not overflow (LeafArithmetic.h), so the instructions carry nsw and nuw, and widening
// is by zeros; only where a layout has a stride that is known to be negative are they left out.
#pragma once

#include "compiler/layout/LeafArithmetic.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace fly::ir {

class EmittingArithmetic final : public layout::LeafArithmetic {
public:
  explicit EmittingArithmetic(mlir::OpBuilder &builder) : builder(builder) {}

  /// The sum that a dynamic leaf represents.
  struct Term {
    mlir::Value lane, uniform; // i32 or i64; null: 0
    std::int64_t constant = 0;
    bool mayBeNegative = false;
    std::int64_t divisor = 1; // of lane and of uniform; of the whole sum the leaf's own
  };

  /// The handle of a leaf that is the value of an operand.
  void *handleOf(mlir::Value value, bool isUniform, std::int64_t divisor);
  static const Term &termOf(const layout::Leaf &leaf) { return *static_cast<const Term *>(leaf.handle); }
  /// The leaf with another constant. Its divisor is that of the sum.
  layout::Leaf withConstant(const layout::Leaf &leaf, std::int64_t constant);

  /// The leaf divided by what is known to divide it, part by part, so that the parts stay apart; none if it is not
  /// known.
  std::optional<layout::Leaf> divideExactly(const layout::Leaf &leaf, std::int64_t by);

  /// The leaf as one i32 or i64 value, emitted at the builder's place with its location.
  mlir::Value materialize(const layout::Leaf &leaf, unsigned bits);
  /// `value` brought to `bits` bits.
  mlir::Value widen(mlir::Value value, unsigned bits, bool isSigned);
  mlir::Value constant(std::int64_t value, unsigned bits);
  mlir::Value scale(mlir::Value value, std::int64_t factor, bool mayBeNegative);
  /// One of two parts may be null, which is 0.
  mlir::Value sum(mlir::Value left, mlir::Value right, unsigned bits, bool mayBeNegative);

  /// The location of the next instructions.
  void setLocation(mlir::Location place) { location = place; }

protected:
  void *emit(layout::LeafOperation operation, const layout::Leaf &left, const layout::Leaf &right, unsigned bits,
             bool exact) override;

private:
  bool divides(std::int64_t by, mlir::Value value) const;
  mlir::Value quotient(mlir::Value value, std::int64_t by, bool mayBeNegative);
  void *keep(Term term);
  Term partsOf(const layout::Leaf &leaf, unsigned bits);
  void *emitAdd(const layout::Leaf &left, const layout::Leaf &right, unsigned bits);
  void *emitMultiply(const layout::Leaf &left, const layout::Leaf &right, unsigned bits);

  mlir::OpBuilder &builder;
  std::optional<mlir::Location> location;
  std::deque<Term> terms;
  mlir::DenseMap<mlir::Value, std::int64_t> divisors; // of values that came with a leaf
};

} // namespace fly::ir
