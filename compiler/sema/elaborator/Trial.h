// Elaboration that is thrown away: it tells what a piece of code would do without doing it.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Region.h"

namespace fly::sema {

/// During its lifetime, operations go into a separate block and diagnostics are suppressed; its destructor restores the
/// frame.
struct Trial {
  Elaborator &e;
  mlir::Region region; ///< its parent is the kernel, which does not contain it: operations see the kernel's attributes
  mlir::Block *block;
  mlir::OpBuilder::InsertPoint insertion;
  mlir::Block *entry;
  LdsUse lds;
  Variables saved;
  size_t loops, returns; ///< of the frame; the body must not leave edges in the surrounding loop or return
  unsigned failures;
  bool failed = false;

  explicit Trial(Elaborator &e)
      : e(e), region(e.kernelEntry ? e.kernelEntry->getParentOp() : nullptr), block(new mlir::Block),
        insertion(e.builder->saveInsertionPoint()), entry(e.kernelEntry), lds(e.lds), saved(e.frame->variables),
        loops(e.frame->loops.size()), returns(e.frame->returns.size()), failures(e.failures) {
    region.push_back(block);
    e.builder->setInsertionPointToStart(block);
    e.kernelEntry = block;
    e.diags.suspend();
    ++e.trialDepth;
  }
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
    e.frame->variables = std::move(saved);
    e.frame->loops.resize(loops);
    e.frame->returns.resize(returns);
    e.failures = failures;
    e.lds = std::move(lds);
    e.kernelEntry = entry;
    e.builder->restoreInsertionPoint(insertion);
    region.dropAllReferences();
  }
};

} // namespace fly::sema
