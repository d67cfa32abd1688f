// `flyc run`: one kernel on the emulator, its arguments from files and descriptions, its results to files.
#include "compiler/commands/Commands.h"
#include "compiler/launch/SingleLaunch.h"

namespace fly::driver {

int run(const Options &options, const RunSettings &command) {
  Session session(options);
  int status = SingleLaunch(session, command).run();
  session.finish();
  if (command.time) {
    session.times.print(llvm::errs());
    session.cache.print(llvm::errs());
  }
  return status;
}

} // namespace fly::driver
