// See CommandErrors.h.
#include "compiler/compilation/CommandErrors.h"

#include "compiler/compilation/Session.h"

namespace fly::driver {

int badCommandLine(const Options &options, const std::string &message, const std::string &help) {
  Session session(options);
  {
    auto builder = session.diags.report({}, diag::bad_command_line{.message = message});
    if (!help.empty())
      builder.help(help);
  }
  session.finish();
  return 2;
}

int cannotWriteOutput(const Options &options, const std::string &reason) {
  Session session(options);
  session.diags.report(diag::cannot_write, {}).arg("standard output").arg(reason);
  session.finish();
  return 1;
}

std::string closestOf(const std::string &name, const std::vector<std::string> &names) {
  return didYouMean(name, names).value_or("");
}

} // namespace fly::driver
