// The targets' own conversions of 8-, 6- and 4-bit floats, as a table of what each does at once.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fly::sema {

/// Emits operations on scalars (`lanes` 0) or element by element on vectors.
struct Elementwise {
  mlir::OpBuilder &b;
  mlir::Location loc;
  int64_t lanes;

  mlir::Type type(mlir::Type element) const;
  unsigned widthOf(mlir::Value x) const;
  mlir::Value integer(unsigned bits, uint64_t value) const;
  mlir::Value number(mlir::Type element, double value) const;
  mlir::Value bitcast(mlir::Value x, mlir::Type element) const;
  mlir::Value bitAnd(mlir::Value x, uint64_t mask) const;
  mlir::Value bitOr(mlir::Value x, mlir::Value y) const;
  mlir::Value add(mlir::Value x, mlir::Value y) const;
  mlir::Value shl(mlir::Value x, unsigned by) const;
  mlir::Value shr(mlir::Value x, unsigned by) const;
  mlir::Value compare(mlir::arith::CmpIPredicate p, mlir::Value x, uint64_t y) const;
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y) const;
  /// Zero-extended or truncated.
  mlir::Value resize(mlir::Value x, unsigned bits) const;
};

/// The conversion by instructions of the target that do exactly this; null where there are none.
mlir::Value widenByInstructions(Elaborator &e, MachineValue from, Type to, SourceRange range);
mlir::Value narrowByInstructions(Elaborator &e, MachineValue from, Type to, bool saturate, SourceRange range);

} // namespace fly::sema
