// Launching kernels for checks: the driver's implementation of sema's KernelRunner on the emulator.
#pragma once

#include "compiler/driver/Session.h"
#include "runtime/emulator/Emulator.h"

namespace fly::driver {

/// Waves of a workgroup run to their next blocking point in each of these orders; all must give the same memory.
struct Order { emulator::WaveOrder order; uint64_t seed; const char *name; };

class EmulatorRunner final : public sema::KernelRunner {
public:
  EmulatorRunner(ArchCompilation &compilation, std::vector<Order> orders);

  void launch(const sema::KernelValue &kernel, sema::Arguments arguments, SourceRange range) override;
  void expectation(const host::Comparison &comparison, SourceRange range) override;
  [[noreturn]] void mismatch(std::string reason, SourceRange range) override;

  /// The current check's failures, as text for the user; cleared by the caller.
  std::vector<std::string> failures;
  uint64_t waveInstructions = 0;
  unsigned comparisons = 0;
  double maxUlps = 0;

private:
  struct Loaded { artifact::InstanceInfo info; std::shared_ptr<emulator::Module> module; };
  const Loaded &loaded(const sema::KernelValue &kernel, SourceRange range);
  std::string place(SourceRange range) const;

  ArchCompilation &compilation;
  std::vector<Order> orders;
  const emulator::Architecture *arch;
  std::unique_ptr<emulator::Device> device;
  std::map<std::string, Loaded> cache;
};

} // namespace fly::driver
