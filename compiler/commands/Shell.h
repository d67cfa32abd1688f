// What shells and `man` know of the command line, from the tables of options that `--help` prints: `flyc completion
// SHELL`, `flyc man`.
#pragma once

#include <string>

namespace fly::driver {

/// A script for bash, zsh or fish, which completes commands, options, architectures, choices and files.
std::string completionFor(const std::string &shell);

/// The manual page, for `man`.
std::string manPage(const std::string &version);

} // namespace fly::driver
