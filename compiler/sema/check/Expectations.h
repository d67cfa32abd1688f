// `with expect_...:` in checks: what must fail in the body, and how.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

namespace fly::sema {

/// Runs the statement if `name` is one of `expect_refused`, `expect_error`, `expect_fault`, `only_workgroups`, `together`, `any_order`; else
/// nothing.
std::optional<Flow> execExpectation(Elaborator &e, llvm::StringRef name, const ast::CallExpr &call,
                                    const ast::WithStmt &stmt);

} // namespace fly::sema
