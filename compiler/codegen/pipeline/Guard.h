// Runs LLVM code that may end the process, so that it ends only its task.
//
// LLVM leaves by three doors: diagnostics through the LLVMContext (collected by the caller), report_fatal_error
// (a process-wide handler, then exit or abort), and signals (an assertion, a null pointer). The last two end here:
// the fatal-error handler keeps the message and jumps out through the thread's CrashRecoveryContext.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace fly::codegen {

/// Installs the handlers; once a process.
void enableGuard();

struct GuardOutcome {
  bool completed = false;
  std::string fatalError; ///< LLVM's words; empty when it died without any
};

/// Runs `task` on its own thread with a large stack. If it does not complete, its allocations leak (destructors do not
/// run), so `task` must not hold any of our locks.
GuardOutcome runGuarded(llvm::function_ref<void()> task);

} // namespace fly::codegen
