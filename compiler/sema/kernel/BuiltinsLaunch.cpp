// The vocabulary of `@launch` functions, besides host numbers and the calls of kernels.
#include "compiler/sema/elaborator/Builtins.h"
#include "compiler/sema/number/Conversions.h"
#include "compiler/sema/kernel/Families.h"
#include "compiler/sema/kernel/Launches.h"

namespace fly::sema {

namespace {
Value workspace(Elaborator &e, BoundCall &call) {
  LaunchPlanner &planner = e.role->planner(e, "workspace", call.range);
  Type element = requireType(e, call[0], call.ranges[0], "the element type");
  if (element.isVector())
    e.fail(diag::not_a_type, call.ranges[0], {"`" + element.text() + "`, but only an element type is allowed here"});
  return planner.workspace(element, call[1], call[2], call.given[3] && truth(e, call[3], call.ranges[3]), call.range);
}

Value fill(Elaborator &e, BoundCall &call) {
  LaunchPlanner &planner = e.role->planner(e, "fill", call.range);
  auto *memory = call[0].as<HostTensorValue>();
  if (!memory || !memory->tensor->pointee.empty() || memory->tensor->isVector)
    e.fail(call.ranges[0], diag::argument_of_type{.what = diag::argument("tensor", "fill"),
                                                  .type = "a tensor",
                                                  .found = describe(call[0])});
  planner.fill(*memory->tensor, call[1], call.range);
  return Value();
}

Value tuned(Elaborator &e, BoundCall &call) {
  (void)e.role->planner(e, "tuned", call.range);
  auto *kernel = call[0].as<KernelValue>();
  if (!kernel || !kernel->kernel->tune)
    e.fail(call.ranges[0], diag::not_tuned{.found = describe(call[0])});
  KernelValue byShape = *kernel;
  byShape.byShape = true;
  return Value(byShape);
}

const Builtin launchRows[] = {
    {"fill", "tensor, value",
     "in a `@launch` function: a step that fills memory without gaps with 0, or with a number whose bytes are all equal",
     fill},
    {"tuned", "kernel",
     "in a `@launch` function: the kernel, with the values of its `@tune` parameters that a table of `flyc tune` has "
     "for the arguments of the call",
     tuned},
    {"workspace", "type, shape, stride=, zero=",
     "device memory that exists during a `@launch` function and is provided by its caller; `zero=True` fills it with "
     "zeros first",
     workspace},
};
} // namespace

llvm::ArrayRef<Builtin> launchBuiltins() { return launchRows; }

} // namespace fly::sema
