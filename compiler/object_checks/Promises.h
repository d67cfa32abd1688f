// `@expect(...)` above a kernel: what its author promises about the machine code.
//
//     @expect(scratch=0, vgprs=(0, 64), arch="gfx942")
//     @expect(loop="main", mfma=4 * STAGES, waits=(0, 8))
//
// A key is a resource, a class of instructions (compiler/isa/InstructionClasses.h) or an instruction by its assembly
// name; a value is a number or a range (least, most), both ends included, and may use the kernel's Constexpr
// parameters, so that each instance has its own. The decoded code of the linked object is counted. A broken promise is
// an error, and no artifact is written.
//
// Other keys promise what the time model finds: they are checked where it runs, in `flyc bench`.
//
//     @expect(loop="main", matrix_share=(0.97, 1))
#pragma once

#include "compiler/artifact/ModuleInfo.h"
#include "compiler/sema/elaborator/Elaborator.h"
#include "runtime/emulator/timing/Timing.h"

namespace fly::driver {

/// One `key=value`, for this instance and target.
struct Promise {
  std::string key, text; ///< "mfma"; "mfma=4 * STAGES", as the author wrote it
  int64_t least = 0, most = 0;
  bool isModelled = false; ///< of the time model; then `low` and `high` are the ends
  double low = 0, high = 0;
  std::string loop; ///< of `range(..., name=loop)`; empty: of the whole kernel
  SourceRange range, loopRange;
};

/// A run-time loop with a name: where its back edge comes from, as in line tables.
struct NamedLoop {
  std::string name, file;
  unsigned line = 0;
};

struct Promises {
  std::vector<Promise> list;
  std::vector<NamedLoop> loops; ///< that the kernel has; read before the passes change it
};

/// The promises of a kernel that are for this target. None after diagnostics.
std::optional<std::vector<Promise>> readPromises(sema::Elaborator &e, const sema::KernelValue &kernel,
                                                 SourceRange range);
/// The named loops of an elaborated kernel.
std::vector<NamedLoop> namedLoops(mlir::Operation *module);

/// An instance as far as promises are concerned.
struct Promised {
  const Promises *promises;
  const artifact::InstanceInfo *info;
};
/// Decodes the kernels that promise something. False after diagnostics: one for each promise that is broken.
/// `fileName`: a file's name in line tables.
/// Promises of the time model are left out.
bool keepPromises(DiagnosticEngine &diags, const std::function<std::string(FileId)> &fileName,
                  llvm::StringRef codeObject, llvm::ArrayRef<Promised> instances);

/// The same for promises of the time model, of a launch of the instance.
bool keepModelledPromises(DiagnosticEngine &diags, const Promises &promises, const artifact::InstanceInfo &info,
                          const emulator::Timing &timing);

} // namespace fly::driver
