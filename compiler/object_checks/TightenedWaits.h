// `wait(vmcnt=4)` is one wait instruction, but LLVM merges waits of its own into it: what it cannot prove to have
// arrived, it waits for. A pipeline of three stages is one of one stage then, and nobody notices. So this check reads
// the linked object, whose line table maps waits to places, and warns where one waits for more than the source says
// (FLY0430).
#pragma once

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/diagnostics/Diagnostics.h"
#include "compiler/isa/Instruction.h"

#include <functional>
#include <vector>

namespace mlir {
class ModuleOp;
}

namespace fly::driver {

/// What the source says at one place: of several waits there (of an unrolled loop), the strictest.
struct WrittenWait {
  SourceRange range;
  isa::Waits waits;
};

/// An instance with its waits.
struct WaitsOf {
  const std::vector<WrittenWait> *waits;
  const artifact::InstanceInfo *info;
};

/// The waits of a module in Fly IR. `fileName`: a file's name in locations and line tables.
std::vector<WrittenWait> writtenWaits(mlir::ModuleOp module, const SourceManager &sources,
                                      const std::function<std::string(FileId)> &fileName);

void reportTightenedWaits(DiagnosticEngine &diags, const std::function<std::string(FileId)> &fileName,
                          llvm::StringRef codeObject, llvm::ArrayRef<WaitsOf> instances);

} // namespace fly::driver
