// See UnwrittenMemory.h.
//
// Follows the memory through what only computes: views, addresses, casts. Whatever else takes it may write to it, apart
// from loads, the source of a copy, and marks, which stand for no instruction. So a report is never wrong.
#include "compiler/analysis/UnwrittenMemory.h"

#include "compiler/protocol/Assembly.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace fly::analysis {

/// Whether the operation, which takes the memory as this operand, does not write to it.
static bool onlyReads(mlir::OpOperand &use) {
  mlir::Operation *user = use.getOwner();
  if (ir::isMark(user) || (llvm::isa<ir::CopyOp>(user) && use.getOperandNumber() == 0))
    return true;
  auto effects = llvm::dyn_cast<mlir::MemoryEffectOpInterface>(user);
  return effects && effects.onlyHasEffect<mlir::MemoryEffects::Read>();
}

/// `read` is called for each operation that only reads the memory.
static bool mayBeWritten(mlir::Value memory, llvm::function_ref<void(mlir::Operation *)> read) {
  llvm::SmallVector<mlir::Value> work{memory};
  llvm::DenseSet<mlir::Value> seen;
  while (!work.empty()) {
    mlir::Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (mlir::OpOperand &use : value.getUses()) {
      mlir::Operation *user = use.getOwner();
      if (onlyReads(use)) {
        read(user);
        continue;
      }
      if (user->hasTrait<mlir::OpTrait::IsTerminator>() || !mlir::isMemoryEffectFree(user))
        return true;
      work.append(user->result_begin(), user->result_end());
    }
  }
  return false;
}

void checkUnwrittenOutputs(Context &context, llvm::StringRef name, llvm::ArrayRef<Output> outputs) {
  mlir::Block &entry = context.kernel.getBody().front();
  for (const Output &output : outputs)
    if (!mayBeWritten(entry.getArgument(output.argument), [](mlir::Operation *) {}))
      context.reporter.report(output.range, diag::unwritten_output{.name = output.name, .kernel = name.str()})
          .help("write it, remove the parameter, or declare it `In[...]`");
}

/// An instruction by name that may write LDS, at an address that is only a number.
static bool mayWriteAnyLds(ir::ExactOp op) {
  const llvm::StringRef text = protocol::withoutM0(op.getAssembly()).words;
  return op.getHasEffects() &&
         (text.starts_with("ds_") || text.split(' ').first.contains("_lds") || text.ends_with(" lds"));
}

void checkUnwrittenLds(Context &context, llvm::StringRef name) {
  bool isKnown = true;
  context.kernel.walk([&](ir::ExactOp op) { isKnown &= !mayWriteAnyLds(op); });
  if (!isKnown)
    return;
  context.kernel.walk([&](ir::SharedOp object) {
    mlir::Operation *first = nullptr;
    const bool isWritten = mayBeWritten(object.getPointer(), [&](mlir::Operation *read) {
      if (!ir::isMark(read))
        first = read; // uses are listed from the last one on
    });
    if (!isWritten && first)
      context.reporter.report(context.rangeOf(first), diag::unwritten_lds{.kernel = name.str()})
          .note(context.rangeOf(object), "LDS holds what an earlier workgroup left in it")
          .help("write it first, and wait at a `barrier()` before other threads read it");
  });
}

} // namespace fly::analysis
