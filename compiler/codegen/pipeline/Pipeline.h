// The passes of the code generator as one table: what runs, on what, where, when and why. Compile.cpp runs those over a
// module, BackendPasses.cpp puts the others into LLVM's backend, and `flyc build --stop-after`, `--print-after` know all
// of them by name.
#pragma once

#include "compiler/codegen/BackendPass.h"
#include "compiler/codegen/CodeGen.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
}

namespace fly::codegen {

/// A module on its way to the backend.
struct ModuleRun {
  llvm::Module &module;
  llvm::TargetMachine &machine;
  const target::Target &target;
  unsigned optimizationLevel; ///< 0 to 3
};

/// Where a pass over the whole module runs, or that it is one of the backend's.
enum class PassPlace { BeforeOptimizer, Optimizer, AfterOptimizer, BeforeBackend, InBackend };

/// What a pass works on, and how it is shown: LLVM IR, or machine code as MIR.
enum class Level { LlvmIr, Machine };

/// An LLVM pass of the backend.
struct Anchor {
  const char *name = nullptr;    ///< as LLVM's options call it
  llvm::AnalysisID id = nullptr; ///< null: the target's own, known by name only
};

/// On which targets, and at which levels of optimization.
struct When {
  const char *text;
  bool (*holds)(const target::Target &target, unsigned optimizationLevel);
};

struct PassRow {
  llvm::StringLiteral name;
  Level level;
  PassPlace place;
  Anchor after; ///< in the backend: the pass that it follows
  When when;
  const char *why;
  void (*run)(ModuleRun &) = nullptr; ///< over a module
  BackendPass (*backend)() = nullptr; ///< in the backend
};

/// In the order in which they run. Passes of the backend after the same one are in this order, too.
llvm::ArrayRef<PassRow> passRows();

} // namespace fly::codegen
