// Diagnostics as commands of a GitHub workflow, which marks their places in the changes of a pull request:
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands.
#pragma once

#include "compiler/diagnostics/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"

namespace fly {

/// Writes a line for each: `::error file=kernels/copy.fly,line=12,...::message`. Writes nothing unless GITHUB_ACTIONS is
/// `true`, as it is in a workflow. Paths are relative to GITHUB_WORKSPACE.
void annotateForGithub(llvm::ArrayRef<Diagnostic> diagnostics, const SourceManager &sources, llvm::raw_ostream &os);

} // namespace fly
