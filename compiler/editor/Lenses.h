// What stands above definitions: of a kernel the instance whose values are shown and what it is compiled to, of a check
// the command that runs it.
#pragma once

#include "compiler/editor/MachineCode.h"
#include "compiler/editor/Positions.h"
#include "compiler/editor/Snapshot.h"

#include <set>

namespace fly::editor {

struct LensContext {
  std::string uri, target;
  std::set<std::string> commands;                    ///< that the client has
  const std::map<std::string, MachineCode> &machine; ///< by kernel
};

bool isKernel(const ast::DefStmt &def);
/// `CodeLens`es.
llvm::json::Array lensesOf(Snapshot &snapshot, const TextPositions &positions, const LensContext &context);

/// "gfx950: 128 VGPRs, ..."; `textHash`: of the version that is there now.
std::string titleOf(const MachineCode &code, size_t textHash);

} // namespace fly::editor
