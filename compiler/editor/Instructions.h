// The instructions of an architecture, for completion and hover. The list of them takes more than a second, so a thread
// of its own reads it, once per architecture, when a file is seen that uses them.
#pragma once

#include "compiler/target/Target.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace fly::editor {

/// Begins to read the list, if nobody has; does not wait.
void beginInstructions(const target::Target &target);
/// Is called some times per second while somebody waits for the list.
using Waits = std::function<void()>;
/// Mnemonics with their meanings. Waits for the list.
const std::vector<std::pair<std::string, std::string>> &mnemonicsOf(const target::Target &target, const Waits &waits);
/// Markdown: operands, meaning and modifiers of an instruction; empty if the target has none of this name. Waits for the
/// list.
std::string instructionText(const target::Target &target, const std::string &name, const Waits &waits);

} // namespace fly::editor
