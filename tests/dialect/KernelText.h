// A kernel from its text, for tests of what is asked of its operations.
#pragma once

#include "compiler/dialect/FlyOps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace fly::ir {

class KernelText {
public:
  /// The body of a kernel with a pointer, `%p` (align=16), the bytes after it, an index `%i` and a condition `%on`.
  explicit KernelText(const std::string &body) {
    context.loadDialect<FlyDialect, mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "fly.kernel @k(%p: !fly.ptr<global, align=16>, %bytes: i64, %i: i32, %on: i1) {\n" + body + "\nfly.return\n}",
        &context);
    EXPECT_TRUE(bool(module)) << body;
  }

  /// The only operation of a kind.
  template <typename Op> Op the() {
    Op found;
    module->walk([&](Op op) { found = op; });
    EXPECT_TRUE(bool(found));
    return found;
  }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace fly::ir
