// See Carriers.h.
#include "compiler/sema/elaborator/Carriers.h"

namespace fly::sema {

static bool holds(const Value &value, mlir::Value machine) {
  if (auto *parts = value.parts())
    return llvm::any_of(*parts, [&](const Value &part) { return holds(part, machine); });
  auto *m = value.as<MachineValue>();
  return m && m->value == machine;
}

void labelCarrier(Elaborator &e, DiagnosticBuilder &builder, const MachineValue &value) {
  for (auto &loop : llvm::reverse(e.frame->loops))
    for (auto &[name, carried] : loop.carried)
      if (loop.range.valid() && holds(carried, value.value)) {
        builder.label(loop.range, "`" + name + "` changes in this loop, which runs on the device");
        builder.help("`for ... in unroll(...)` runs at compile time");
        return;
      }
}

} // namespace fly::sema
