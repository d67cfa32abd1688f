// Elaboration that is thrown away: it tells what a piece of code would do without doing it.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Region.h"

namespace fly::sema {

/// During its lifetime, operations go into a separate block and diagnostics are suppressed; its destructor restores the
/// kernel and the frame.
struct Trial {
  Elaborator &e;
  mlir::Region region; ///< its parent is the kernel, which does not contain it: operations see the kernel's attributes
  KernelScope kernel;
  mlir::OpBuilder::InsertPoint insertion;
  Variables variables;
  size_t loops, returns; ///< of the frame; the body must not leave edges in the surrounding loop or return
  unsigned failures;
  bool failed = false;

  explicit Trial(Elaborator &e)
      : e(e), region(e.kernel.entry ? e.kernel.entry->getParentOp() : nullptr), kernel(e.kernel),
        insertion(kernel.builder->saveInsertionPoint()), variables(e.frame->variables), loops(e.frame->loops.size()),
        returns(e.frame->returns.size()), failures(e.failures) {
    e.kernel.entry = new mlir::Block;
    region.push_back(e.kernel.entry);
    e.kernel.builder->setInsertionPointToStart(e.kernel.entry);
    e.diags.suspend();
    ++e.trialDepth;
  }
  mlir::Block *block() { return &region.front(); }
  void run(const std::function<void()> &body) {
    try {
      body();
    } catch (Failed &) {
      failed = true;
    }
  }
  ~Trial() {
    --e.trialDepth;
    e.diags.resume();
    e.frame->variables = std::move(variables);
    e.frame->loops.resize(loops);
    e.frame->returns.resize(returns);
    e.failures = failures;
    e.kernel = std::move(kernel);
    e.kernel.builder->restoreInsertionPoint(insertion);
    region.dropAllReferences();
  }
};

} // namespace fly::sema
