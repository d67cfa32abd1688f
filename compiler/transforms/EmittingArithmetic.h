// EmittingArithmetic: the LeafArithmetic whose dynamic leaves are SSA values.
//
// A dynamic leaf is a sum `value + constant`: constants that meet on the way to an address are not mixed into
// instructions but carried beside them, also through multiplication by a constant.
//
//   (%i + 3) * 32 + 5    is    value = muli %i, 32    constant = 101
//
// Leaves are not negative and do not overflow (LeafArithmetic.h), so the instructions carry nsw and nuw, and widening is
// by zeros; only where a layout has a stride that is known to be negative are they left out.
#pragma once

#include "compiler/layout/LeafArithmetic.h"

#include "mlir/IR/Builders.h"

#include <deque>

namespace fly::ir {

class EmittingArithmetic final : public layout::LeafArithmetic {
public:
  explicit EmittingArithmetic(mlir::OpBuilder &builder) : builder(builder) {}

  /// The sum that a dynamic leaf stands for.
  struct Term {
    mlir::Value value; // i32 or i64
    std::int64_t constant = 0;
    bool mayBeNegative = false;
  };

  /// The handle of a leaf that is the value of an operand.
  void *handleOf(mlir::Value value);
  static const Term &termOf(const layout::Leaf &leaf) { return *static_cast<const Term *>(leaf.handle); }

  /// The leaf as one i32 or i64 value, emitted at the builder's place with its location.
  mlir::Value materialize(const layout::Leaf &leaf, unsigned bits);
  /// `value` brought to `bits` bits.
  mlir::Value widen(mlir::Value value, unsigned bits, bool isSigned);
  mlir::Value constant(std::int64_t value, unsigned bits);
  mlir::Value multiply(mlir::Value value, std::int64_t factor, bool mayBeNegative);

  /// Where the next instructions are said to come from.
  void setLocation(mlir::Location place) { location = place; }

protected:
  void *emit(layout::LeafOperation operation, const layout::Leaf &left, const layout::Leaf &right, unsigned bits,
             bool exact) override;

private:
  void *keep(Term term);
  void *emitAdd(const layout::Leaf &left, const layout::Leaf &right, unsigned bits);
  void *emitMultiply(const layout::Leaf &left, const layout::Leaf &right, unsigned bits);

  mlir::OpBuilder &builder;
  std::optional<mlir::Location> location;
  std::deque<Term> terms;
};

} // namespace fly::ir
