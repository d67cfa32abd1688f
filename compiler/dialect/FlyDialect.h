// The fly dialect's class and enums. Types and attributes: FlyTypes.h; operations: FlyOps.h, which includes all.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

#include "compiler/dialect/FlyEnums.h.inc"

#include "compiler/dialect/FlyDialect.h.inc"
