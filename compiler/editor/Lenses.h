// What stands above definitions: of a kernel the instance whose values are shown and what it is compiled to, of a check
// the command that runs it.
#pragma once

#include "compiler/editor/MachineCode.h"
#include "compiler/editor/Positions.h"
#include "compiler/editor/Runs.h"
#include "compiler/editor/Snapshot.h"

#include <set>

namespace fly::editor {

struct LensContext {
  std::string uri;
  std::vector<std::string> archs;        ///< the one whose values are shown, then the others whose machine code is
  const std::set<std::string> &commands; ///< that the client has
  const MachineCodes &machine;
  const std::map<std::string, CheckResult> &checks;  ///< by name
  const std::map<std::string, BenchResult> &benches; ///< of this file, by name
  std::vector<const BenchResult *> launching;        ///< that launch kernels of this file
};

bool isKernel(const ast::DefStmt &def);
/// `CodeLens`es.
llvm::json::Array lensesOf(Snapshot &snapshot, const TextPositions &positions, const LensContext &context);

/// "gfx950: 128 VGPRs, ..."; `textHash`: of the version that is there now.
std::string titleOf(const MachineCode &code, size_t textHash);
/// Markdown: of a kernel's shown instance, what it is compiled to on each architecture; empty if that is not known.
std::string machineText(const LensContext &context, const Snapshot::InstanceList &list, size_t textHash);

} // namespace fly::editor
