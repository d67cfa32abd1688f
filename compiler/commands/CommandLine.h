// The command line of flyc as a whole: which command it names, its options, help, and what is wrong with it.
#pragma once

#include "compiler/commands/OptionTable.h"

#include <string>
#include <vector>

namespace fly::driver {

/// Runs the command that the words name; the exit status. They come without the program.
int runCommandLine(std::vector<std::string> arguments);

/// Gives the options of a table the values of a command line, without the name of a command. Returns what is wrong with
/// it; empty: nothing.
std::string parseOptions(OptionTable &table, std::vector<std::string> arguments);

/// What `flyc --help` begins with.
extern const char *const programDescription;

} // namespace fly::driver
