// All commands, in the order of `flyc --help`. Each is in the file that has its name.
#include "compiler/commands/Command.h"

#define FLY_COMMANDS(COMMAND)                                                                                          \
  COMMAND(build)                                                                                                       \
  COMMAND(test)                                                                                                        \
  COMMAND(bench)                                                                                                       \
  COMMAND(tune)                                                                                                        \
  COMMAND(sweep)                                                                                                       \
  COMMAND(run)                                                                                                         \
  COMMAND(doctor)                                                                                                      \
  COMMAND(calibrate)                                                                                                   \
  COMMAND(report)                                                                                                      \
  COMMAND(verify)                                                                                                      \
  COMMAND(import)                                                                                                      \
  COMMAND(manifest)                                                                                                   \
  COMMAND(stat)                                                                                                        \
  COMMAND(trace)                                                                                                       \
  COMMAND(format)                                                                                                      \
  COMMAND(fix)                                                                                                         \
  COMMAND(doc)                                                                                                         \
  COMMAND(eval)                                                                                                        \
  COMMAND(layout)                                                                                                      \
  COMMAND(lsp)                                                                                                         \
  COMMAND(explain)                                                                                                     \
  COMMAND(cache)                                                                                                       \
  COMMAND(backend)                                                                                                     \
  COMMAND(targets)                                                                                                     \
  COMMAND(completion)                                                                                                  \
  COMMAND(man)                                                                                                         \
  COMMAND(help)

namespace fly::driver {

#define FLY_DECLARED(name) std::unique_ptr<Command> name##Command();
FLY_COMMANDS(FLY_DECLARED)
#undef FLY_DECLARED

CommandList allCommands() {
  CommandList list;
#define FLY_LISTED(name) list.push_back(name##Command());
  FLY_COMMANDS(FLY_LISTED)
#undef FLY_LISTED
  return list;
}

} // namespace fly::driver
#undef FLY_COMMANDS
