// `with`: permissions for arithmetic, LDS arenas, scheduling regions, and failures that a check expects.
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/language/Evaluator.h"
#include "compiler/sema/amd/Scheduling.h"
#include "compiler/sema/check/Expectations.h"
#include "compiler/sema/number/FastMath.h"

namespace fly::sema {

Flow Evaluator::execWith(const ast::WithStmt &stmt) {
  if (auto flow = execMathScope(*this, stmt))
    return *flow;
  auto &item = stmt.items.front();
  if (onDevice() && stmt.items.size() == 1 &&
      llvm::isa<ast::NameExpr, ast::AttributeExpr>(item.context)) // `with arena:` gives back what its body allocates
    if (Value context = eval(*item.context); auto *arena = context.as<ArenaValue>()) {
      size_t index = arena->index;
      uint64_t used = kernel.lds.arenas.at(index).used;
      Flow flow = execBlock(stmt.body);
      kernel.lds.arenas.at(index).used = used;
      return flow;
    }
  auto *call = llvm::dyn_cast<ast::CallExpr>(item.context);
  auto *name = call ? llvm::dyn_cast<ast::NameExpr>(call->callee) : nullptr;
  if (name && stmt.items.size() == 1)
    if (auto flow = execExpectation(*this, name->name, *call, stmt))
      return *flow;
  if (call && onDevice() && stmt.items.size() == 1)
    if (Value context = eval(*call); auto *region = objectAs<SchedulingRegion>(context))
      return region->exec(*this, stmt, call->range);
  fail(diag::not_supported, item.context->range,
       {"this `with`",
        "a kernel can use `with fastmath(...):`, `with sched.region():` and `with sched.fixed():`, a check "
        "`expect_refused(...)`, `expect_error(...)`, `expect_fault(...)`, `only_workgroups(...)`, "
        "`together()` and `any_order()`"});
}

} // namespace fly::sema
