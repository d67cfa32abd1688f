// Expressions of the command line: `flyc eval`, `-D NAME=VALUE`, parameters of tables.
#pragma once

#include "compiler/compilation/Session.h"
#include "compiler/sema/elaborator/Elaborator.h"

#include <map>
#include <optional>
#include <string>

namespace fly::driver {

/// One expression of the command line, which may use `names`; none after diagnostics, which name `place` as its file.
std::optional<sema::Value> evaluateText(Session &session, sema::Elaborator &elaborator, std::string place,
                                        std::string text, const std::map<std::string, sema::Value> &names = {});

/// The `-D` options as compile-time values, parsed in the elaborator's prelude; false after diagnostics.
bool readDefinitions(Session &session, sema::Elaborator &elaborator);

} // namespace fly::driver
