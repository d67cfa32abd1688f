// Types and attributes of the fly dialect, and how their texts are read and written.
#pragma once

#include "compiler/atom/Copy.h"
#include "compiler/atom/Mma.h"
#include "compiler/dialect/FlyDialect.h"
#include "compiler/layout/Rearrangement.h"

namespace fly::ir {

/// The fewest elements that fill bytes: 2 in 1 byte of 4 bits, 4 in 3 bytes of 6 bits, else 1. Memory is accessed in
/// these.
struct ElementUnit {
  int64_t elements, bytes;
};
ElementUnit elementUnit(unsigned bits);

} // namespace fly::ir

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/FlyAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/FlyTypes.h.inc"

namespace fly::ir {

/// The quoted text of a step.
mlir::FailureOr<layout::Rearrangement> parseStep(mlir::AsmParser &parser);

/// Elements of `type` in registers: `lanes` registers hold `elements`. Packed elements are stored as bytes.
struct RegisterForm {
  mlir::Type type;
  int64_t elements, lanes;
};
RegisterForm registerForm(mlir::Type elementType);
/// A vector of registers for this many elements, which must fill whole bytes.
mlir::VectorType registersFor(mlir::Type elementType, int64_t elements);

/// Bits of one element of `type` in memory: i1 takes eight; 0 if the type cannot be an element. Elements of 4 and 6
/// bits are packed, the first in the lowest bits.
unsigned elementBits(mlir::Type type);
/// Bytes of one element; also 0 for packed elements.
unsigned elementBytes(mlir::Type type);

/// The largest power of two that divides `alignment` and `bytes`; `bytes` 0 is divided by everything.
unsigned commonAlignment(unsigned alignment, int64_t bytes);

} // namespace fly::ir
