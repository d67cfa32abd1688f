// Runs LLVM code that may give up the whole process, so that it only gives up its task.
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
  std::string fatalError;   ///< LLVM's words; empty when it died without any
};

/// Runs `task` on a thread of its own with a large stack. When it does not complete, what it had allocated
/// is lost (destructors do not run), so `task` must not hold locks of ours.
GuardOutcome runGuarded(llvm::function_ref<void()> task);

} // namespace fly::codegen
