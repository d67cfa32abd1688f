// Floats of the reference interpreter: LLVM's APFloat on cells, in the format that MLIR's type names.
#pragma once

#include "compiler/reference/Cell.h"

#include "llvm/ADT/APFloat.h"

namespace fly::reference {

/// A number in a format, as far as it is known.
class FloatFormat {
public:
  FloatFormat(const llvm::fltSemantics &semantics)
      : semantics(semantics), width(llvm::APFloat::getSizeInBits(semantics)) {}

  /// A NaN of which no more is known than that it is one.
  Cell nan() const;
  Cell cell(const llvm::APFloat &value) const;
  llvm::APFloat value(const Cell &cell) const { return llvm::APFloat(semantics, cell.value(width)); }
  /// Whether operations can use it: all bits are known, or it is a NaN.
  bool isUsable(const Cell &cell) const;

  const llvm::fltSemantics &semantics;
  const unsigned width;
};

/// The format that the language calls so: `f16`, `f8E4M3FN`; null: it is none of these.
const llvm::fltSemantics *formatByName(llvm::StringRef name);

/// The square root, correctly rounded.
llvm::APFloat squareRoot(const llvm::APFloat &value);

} // namespace fly::reference
