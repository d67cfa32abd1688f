// Accesses of one thread next to each other that stayed apart: FLY0653 of single accesses.
//
// An analysis finds neighbours that could be one access (compiler/analysis/NeighbouringAccesses.h); LLVM joins what it
// can, by its own rules. So this check reads the linked object: its line table maps instructions to places, and only
// accesses whose widest instruction is narrower than legal are reported.
#pragma once

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/analysis/NeighbouringAccesses.h"

namespace fly::driver {

/// An instance with the neighbours that it has.
struct NeighboursOf {
  const std::vector<analysis::NeighbouringAccesses> *neighbours;
  const artifact::InstanceInfo *info;
};

/// Reports what the code object has in narrow accesses. `fileName`: a file's name in line tables.
void reportNarrowAccesses(DiagnosticEngine &diags, const std::function<std::string(FileId)> &fileName,
                          llvm::StringRef codeObject, llvm::ArrayRef<NeighboursOf> instances);

} // namespace fly::driver
