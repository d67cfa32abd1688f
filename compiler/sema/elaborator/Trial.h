// Elaboration that is thrown away: it tells what a piece of code would do without doing it.
#pragma once

#include "compiler/sema/elaborator/Elaborator.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Region.h"

namespace fly::sema {

/// While it lives, diagnostics are suppressed, and nothing is printed; its errors are forgotten. That includes a limit
/// that was reached: what is heard reaches it again, and reports it.
struct Unheard {
  Elaborator &e;
  unsigned failures;
  bool fatal;

  explicit Unheard(Elaborator &e) : e(e), failures(e.failures), fatal(e.fatal) {
    e.diags.suspend();
    ++e.trialDepth;
  }
  Unheard(const Unheard &) = delete;
  ~Unheard() {
    --e.trialDepth;
    e.diags.resume();
    e.failures = failures;
    e.fatal = fatal;
  }
};

/// While it lives, operations go into a separate block. What it changes is copied before, and put back whole: where
/// elaboration stands, with the kernel, and the frame, with its variables and the edges that leave loops around it.
struct Trial {
  Unheard unheard;
  Elaborator &e;
  mlir::Region region; ///< its parent is the kernel, which does not contain it: operations see the kernel's attributes
  CodeScope scope;
  Frame frame;
  bool failed = false;

  explicit Trial(Elaborator &e)
      : unheard(e), e(e), region(e.kernel.entry ? e.kernel.entry->getParentOp() : nullptr), scope(e), frame(*e.frame) {
    e.kernel.entry = new mlir::Block;
    e.kernel.suggestSmaller = nullptr; // long work for a message
    region.push_back(e.kernel.entry);
    e.kernel.builder->setInsertionPointToStart(e.kernel.entry);
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
    static_cast<CodeScope &>(e) = std::move(scope);
    *e.frame = std::move(frame);
    region.dropAllReferences();
  }
};

} // namespace fly::sema
