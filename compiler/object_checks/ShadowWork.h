// What `sched.in_shadow` puts behind a matrix instruction executes for nothing, as long as it is no longer than that one.
// How long both take is known of the linked object alone: LLVM chooses the instructions, and adds waits and distances.
// So this check reads it (FLY0657). The code generator has left the number of a shadow in the line table, as the
// discriminator of what stands in it.
#pragma once

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/diagnostics/Diagnostics.h"

#include <functional>

namespace fly::driver {

/// `fileName`: a file's name in line tables.
void reportShadowWork(DiagnosticEngine &diags, const std::function<std::string(FileId)> &fileName,
                      llvm::StringRef codeObject, llvm::ArrayRef<const artifact::InstanceInfo *> instances);

} // namespace fly::driver
