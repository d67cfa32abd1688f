// Types and attributes of the fly dialect, and how their texts are read and written.
#pragma once

#include "compiler/dialect/FlyDialect.h"
#include "compiler/layout/Rearrangement.h"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/FlyAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/FlyTypes.h.inc"

namespace fly::ir {

/// The quoted text of a step.
mlir::FailureOr<layout::Rearrangement> parseStep(mlir::AsmParser &parser);

/// Bytes of one element of `type` in memory: i1 takes one; 0 if the type cannot be an element.
unsigned elementBytes(mlir::Type type);

/// The largest power of two that divides `alignment` and `bytes`; `bytes` 0 is divided by everything.
unsigned commonAlignment(unsigned alignment, int64_t bytes);

} // namespace fly::ir
