// The tables of options in docs/command-line.md: `flyc doc --command-line`.
#pragma once

#include <string>

namespace fly::driver {

/// A section per command, in Markdown. scripts/command_line_page.py puts their tables into the page.
std::string commandLinePage();

} // namespace fly::driver
