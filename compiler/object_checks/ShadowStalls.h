// Packed arithmetic on f32 and dot products never start while the matrix unit works for the same SIMD: between matrix
// instructions they take as long as these, where two single instructions would have taken none (docs/time-model.md).
// The source does not show that, because LLVM makes packed instructions, too. So this check reads the linked object
// (FLY0655).
#pragma once

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/diagnostics/Diagnostics.h"

#include <functional>

namespace fly::driver {

/// Of loops: by place, how many such instructions wait for a matrix instruction of their own wave, and for how many
/// cycles of an iteration. `fileName`: a file's name in line tables.
void reportShadowStalls(DiagnosticEngine &diags, const std::function<std::string(FileId)> &fileName,
                        llvm::StringRef codeObject, llvm::ArrayRef<const artifact::InstanceInfo *> instances);

} // namespace fly::driver
