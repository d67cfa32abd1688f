// Launching kernels for checks and benches: the implementation of sema's KernelRunner. A kernel and a `@launch`
// function run the same way, as a plan (PlanRun.cpp); a kernel's has one step.
#pragma once

#include "compiler/launch/ReferenceRun.h"
#include "compiler/launch/GpuDevice.h"
#include "compiler/launch/LaunchOptions.h"
#include "compiler/compilation/ArchCompilation.h"
#include "compiler/sema/kernel/Launches.h"
#include "runtime/emulator/Emulator.h"
#include "runtime/emulator/timing/Links.h"
#include "runtime/emulator/timing/Timing.h"
#include "runtime/emulator/watch/Profile.h"

#include <set>

namespace fly::driver {

/// Waves of a workgroup run to their next blocking point in each of these orders; all must give the same memory.
struct Order {
  emulator::WaveOrder order;
  uint64_t seed;
  const char *name;
};

/// How often a launch runs on a GPU.
struct GpuRepetitions {
  unsigned warmUp = 3, repeat = 11;
};

/// What one launch of a kernel executed; for `flyc bench`.
struct LaunchCounts {
  const artifact::InstanceInfo *kernel;
  std::string constants;
  emulator::Profile profile;
  std::optional<emulator::Timing> timing;
  const Promises *promises;
  /// Of launches at once: how many there are, which device this one has, and in the first what moves between them.
  unsigned together = 0, device = 0;
  std::optional<emulator::LinkTiming> links = std::nullopt;
};

/// A launch as it would begin; for `flyc tune`.
struct PlannedLaunch {
  const artifact::InstanceInfo *kernel;
  const std::string *codeObject;
  emulator::LaunchConfig config;
  std::map<std::string, int64_t> scalars; ///< its integer arguments by name
  /// The `@launch` function that it is a step of, with its constants and integer arguments; an empty name: none.
  struct Function {
    std::string name;
    std::vector<std::pair<std::string, std::string>> constants;
    std::map<std::string, int64_t> scalars;
  } function = {};
};

/// What launches have in common. Each runs once for each of the orders.
struct RunnerSettings {
  std::vector<Order> orders;
  emulator::Checks checks;
  unsigned computeUnits;         ///< 0: those of the machine that is modelled, if one is, else the emulator's default
  uint64_t instructionLimit = 0; ///< wave instructions per launch; 0: the emulator's default
  unsigned threads = 0;          ///< host threads that run workgroups; 0: one a core
  double referenceSeconds = 0;   ///< launches also run in the reference interpreter, so long at most; 0: they do not
  RunnerSettings(std::vector<Order> orders, const EmulatorOptions &options);
};

/// One call of a check or a bench on a GPU.
struct MeasuredLaunch {
  std::string title; ///< of the kernel or the launch function, with its constants
  GpuTimes times;
};

/// Thrown where a check launches a kernel whose `arch=` leaves the target out, or what no GPU can run for it.
struct NotForTarget {
  std::string why; ///< "kernel `k` is for gfx950"
};

class Together;

class CheckRunner final : public sema::KernelRunner {
public:
  CheckRunner(ArchCompilation &compilation, RunnerSettings settings);
  ~CheckRunner() override;

  void launch(const sema::KernelValue &kernel, sema::Arguments arguments, SourceRange range) override;
  void expectation(const host::Comparison &comparison, SourceRange range) override;
  [[noreturn]] void mismatch(std::string reason, SourceRange range) override;
  host::Work work(llvm::StringRef what) override;
  void beginTogether(SourceRange range) override;
  void endTogether(bool runs) override;

  /// The current check's failures, as text for the user; cleared by the caller.
  std::vector<std::string> failures;
  /// Which kernel of the current check is for other targets, by its `arch=`, and for which; else empty. The check ended
  /// there. Cleared by the caller.
  std::string elsewhere;
  uint64_t waveInstructions = 0;
  /// Receives how far long work has come: "attention_reference, 40 %".
  std::function<void(const std::string &)> onProgress;
  /// What checks with CheckMode::Warn found since the last call, and notes, as text for the user; each place once.
  struct Told {
    bool isNote;
    std::string text;
  };
  std::vector<Told> takeFindings();
  ReferenceCounts reference;        ///< of all launches
  double maxUlps = 0, maxError = 0; ///< of the current check's results; cleared by the caller
  /// While set, receives the counts of each launch; launches then run once, in one order.
  std::vector<LaunchCounts> *counts = nullptr;
  /// While set, launches are checked and added here, and do not run: nothing is written to their results.
  std::vector<PlannedLaunch> *planned = nullptr;
  /// While set, launches run on the GPU and not on the emulator, as often as `measured` needs.
  GpuDevice *gpu = nullptr;
  /// With `gpu`: launches run on the emulator first. What they leave there is compared with what the GPU leaves, bit for
  /// bit; the check goes on with the GPU's results. `differences` are told as text, and cleared by the caller.
  bool onBoth = false;
  std::vector<std::string> differences;
  std::vector<MeasuredLaunch> *measured = nullptr; ///< with `gpu`: receives times; without it each launch runs once
  GpuRepetitions repetitions;
  /// With `counts`: the time of each launch is modelled, too.
  std::optional<emulator::Timing::Options> timing;

private:
  struct Loaded {
    artifact::InstanceInfo info;
    std::shared_ptr<emulator::Module> module;
    Promises promises;
    ReferenceCode reference; ///< kept where launches run in the reference interpreter, too
    std::string codeObject;  ///< kept where launches are planned, or run on a GPU
  };
  /// A plan and the code of its steps; null for a step without a kernel.
  struct Plan {
    artifact::LaunchInfo info;
    std::vector<const Loaded *> steps;
  };
  struct Run;
  friend class Together;

  /// Adds a launch to `counts`.
  LaunchCounts &countLaunch(const Loaded &code, emulator::Profile profile, std::optional<emulator::Timing> modelled);
  const Loaded &loaded(const sema::KernelValue &kernel, SourceRange range);
  const Plan &planOf(const sema::KernelValue &kernel, SourceRange range);
  const Plan &makePlan(const sema::KernelValue &kernel, SourceRange range);
  /// The value of `device.compute_units`.
  int64_t computeUnits() const;
  std::string place(SourceRange range) const;
  // Memory of the GPU or the emulated device; an error of the GPU fails the check.
  uint64_t allocate(uint64_t bytes, const std::string &what);
  void free(uint64_t address);
  void write(uint64_t address, llvm::StringRef bytes, SourceRange range);
  void zero(uint64_t address, uint64_t bytes, SourceRange range);
  void read(uint64_t address, std::string &bytes, SourceRange range);
  [[noreturn]] void gpuFailed(SourceRange range);
  /// DeviceComparison.cpp
  void launchOnBoth(const sema::KernelValue &kernel, const sema::Arguments &arguments, SourceRange range);

  ArchCompilation &compilation;
  RunnerSettings settings;
  emulator::FindingList findings;
  std::set<emulator::FindingList::Place> known; ///< findings that were told
  const emulator::Architecture *arch;
  std::unique_ptr<emulator::Device> device;
  std::map<std::string, Loaded> cache;
  std::map<std::string, Plan> plans;
  std::unique_ptr<Together> together; ///< inside `with together()`
  GpuDevice *withoutGpu = nullptr;    ///< the one that `together` does without
};

} // namespace fly::driver
