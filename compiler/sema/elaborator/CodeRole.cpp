// See CodeRole.h: what is refused, and where.
#include "compiler/sema/elaborator/CodeRole.h"

namespace fly::sema {

namespace {
class KernelRole final : public CodeRole {
  Value call(Elaborator &e, const KernelValue &, Arguments, SourceRange range) override {
    e.fail(diag::not_callable, range, {"a kernel inside of a kernel"});
  }
};
} // namespace

CodeRole &topLevelRole() {
  static CodeRole role;
  return role;
}

CodeRole &kernelRole() {
  static KernelRole role;
  return role;
}

Value CodeRole::call(Elaborator &e, const KernelValue &, Arguments, SourceRange range) {
  e.fail(diag::not_callable, range, {"a kernel outside of a `@check` or `@launch` function"});
}

KernelRunner &CodeRole::runner(Elaborator &e, llvm::StringRef name, SourceRange range) {
  e.fail(range, diag::not_in_check{.name = name.str()});
}

LaunchPlanner &CodeRole::planner(Elaborator &e, llvm::StringRef name, SourceRange range) {
  e.fail(diag::not_in_launch, range, {name.str()});
}

Value KernelRunner::call(Elaborator &, const KernelValue &kernel, Arguments arguments, SourceRange range) {
  launch(kernel, std::move(arguments), range);
  return Value();
}

} // namespace fly::sema
