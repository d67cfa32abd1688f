// LLVM options of the command line, and the list of all that there are, for the elaborator.
#pragma once

#include "compiler/compilation/Session.h"
#include "compiler/sema/elaborator/Elaborator.h"
#include "compiler/sema/elaborator/LlvmOptions.h"

namespace fly::driver {

/// The options of this program's LLVM (compiler/codegen/LlvmOptions.h).
const sema::LlvmOptionList &llvmOptionList();

/// `--llvm NAME=VALUE` for all kernels of the elaborator; false after diagnostics.
bool readGivenLlvmOptions(Session &session, sema::Elaborator &elaborator);

} // namespace fly::driver
