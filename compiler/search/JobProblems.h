// Why a job has no figure, as one line.
#pragma once

#include "compiler/launch/CheckRunner.h"

namespace fly::driver {

/// The first error of the compilation, or the first line of what failed on the emulator; of a fault without the
/// kernel's name, which says all constants.
std::string firstProblem(const ArchCompilation &compilation, const CheckRunner &runner);

/// The first error; empty if there is none.
std::string firstError(const DiagnosticEngine &diags);

/// The kernels of the compiled file have their own values, and those of other files what tables say.
class OwnTuning : public sema::Tuning {
public:
  explicit OwnTuning(ArchCompilation &compilation) : compilation(compilation) { compilation.elaborator.tuning = this; }
  ~OwnTuning() override { compilation.elaborator.tuning = &compilation.tables; }
  std::vector<Entry> entries(const sema::KernelDefinition &kernel, const Texts &own, const Texts &others) override {
    return kernel.module == compilation.main ? ofMain(kernel, own, others)
                                             : compilation.tables.entries(kernel, own, others);
  }

protected:
  virtual std::vector<Entry> ofMain(const sema::KernelDefinition &, const Texts &, const Texts &) { return {}; }

private:
  ArchCompilation &compilation;
};

} // namespace fly::driver
