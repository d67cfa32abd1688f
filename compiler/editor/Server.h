// `flyc lsp`: the language server. Its own thread reads messages and queues them; the thread that runs it answers them
// one by one, and between them works on the files that are open: it reads a new version, elaborates the kernel in which
// the author is, tells what is wrong, then does the same for the other kernels. docs/editor.md says what it can do.
#pragma once

#include "compiler/compilation/Options.h"
#include "compiler/editor/Connection.h"
#include "compiler/target/Target.h"

namespace fly::editor {

struct ServerSettings {
  driver::Options options;
  const target::Target *target = nullptr;
  bool isTest = false;          ///< each message is dealt with before the next is read
  unsigned compileTimeout = 60; ///< seconds for one kernel; 0: none is compiled
  unsigned runTimeout = 600;    ///< seconds for a check or a bench
};

/// Serves until the client says `exit` or is gone. 0 if it said `shutdown` before; else 1, and `problem` may say why.
int serve(const ServerSettings &settings, std::FILE *in, llvm::raw_ostream &out, std::string &problem);

} // namespace fly::editor
