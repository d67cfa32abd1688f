// `flyc lsp` is two processes. This one relays messages between the editor and a worker, which is the server (Server.h)
// and does all the work. A crash, an endless elaboration or runaway memory ends the worker and never this process: it
// knows what the editor has said that counts (`initialize`, the texts of the open documents), starts another worker, and
// says it all again.
//
// A text that ended the worker is not given to the next one: it gets a diagnostic that says so, and its next change is
// tried again. What may be somebody else's doing (a signal, a machine that has no time) is tried twice.
#pragma once

#include "compiler/editor/Connection.h"

#include <string>
#include <vector>

namespace fly::editor {

struct SupervisorSettings {
  std::vector<std::string> worker; ///< arguments of flyc for the other process
  unsigned answerTimeout = 10;     ///< seconds without a sign of life, while there is work; 0: no limit
  unsigned memoryLimit = 4096;     ///< MiB of the worker; 0: no limit
};

// Between the two, beside the protocol's messages; from the worker:
/// It begins a step of work on the document `uri`.
constexpr llvm::StringLiteral worksNotice = "$/fly/works";
/// All is done that was asked; `handled` counts the messages that it has dealt with, without `$/cancelRequest`.
constexpr llvm::StringLiteral restsNotice = "$/fly/rests";

/// As `serve` (Server.h).
int supervise(const SupervisorSettings &settings, std::FILE *in, llvm::raw_ostream &out, std::string &problem);

} // namespace fly::editor
