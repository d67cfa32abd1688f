// See Guard.h. The handler is process-wide, the message belongs to the thread that runs the task.
#include "compiler/codegen/pipeline/Guard.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstdio>

namespace fly::codegen {

namespace {

constexpr unsigned stackBytes = 64u << 20; // instruction selection recurses along chains of operations

thread_local std::string *fatalMessage = nullptr;

void onFatalError(void *, const char *reason, bool) {
  if (fatalMessage)
    *fatalMessage = reason;
  if (llvm::CrashRecoveryContext *context = llvm::CrashRecoveryContext::GetCurrent())
    context->HandleExit(70);                                // does not return
  std::fprintf(stderr, "flyc: LLVM gave up: %s\n", reason); // outside of any task: LLVM exits after this
}

} // namespace

void enableGuard() {
  llvm::CrashRecoveryContext::Enable();
  llvm::install_fatal_error_handler(onFatalError);
}

GuardOutcome runGuarded(llvm::function_ref<void()> task) {
  GuardOutcome outcome;
  llvm::CrashRecoveryContext context;
  outcome.completed = context.RunSafelyOnThread(
      [&] {
        fatalMessage = &outcome.fatalError;
        task();
        fatalMessage = nullptr;
      },
      stackBytes);
  return outcome;
}

} // namespace fly::codegen
