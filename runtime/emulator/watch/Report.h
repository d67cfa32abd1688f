// What went wrong in a wave, or with the waves of a launch, as a FaultReport: kernel, instruction, source line, workgroup,
// wave, lane, address.
#pragma once

#include "runtime/emulator/wave/Program.h"
#include "runtime/emulator/wave/Observer.h"

#include <mutex>

namespace fly::emulator {

/// Of a fault, or of what a check has found, in the wave's current instruction.
FaultReport describeFault(Program &program, const Wave &wave, const Fault &fault, const LaunchConfig &config);
/// No wave of a unit can run: where each one is.
FaultReport describeDeadlock(Program &program, const std::vector<Wave *> &waves);
/// The launch has executed more instructions than its limit, the last of them in `wave`: where each wave of its workgroup
/// is, and what it waits for. They run on a little for that.
FaultReport describeRunaway(Program &program, Wave &wave, const std::vector<Wave *> &waves, uint64_t limit);
/// Every wave that runs goes round, and nothing will change: where each one is, and what it polls.
FaultReport describeStuck(Program &program, const std::vector<Wave *> &waves);

/// What the threads of a launch have found.
struct SharedFindings {
  std::mutex mutex;
  FindingList list;
};

/// Collects what checks with CheckMode::Warn find in the waves of one thread, and notes.
class FindingRecorder final : public WaveObserver {
public:
  FindingRecorder(Program &program, const LaunchConfig &config, SharedFindings *shared = nullptr)
      : program(program), config(config), shared(shared) {}
  void begin(Wave &wave, const WaveStart &) override { wave.observers.add(*this, {Hook::Finding}); }
  void finish(Program &program) override;
  void found(const Wave &wave, const Fault &finding) override;
  FindingList list;

private:
  Program &program;
  const LaunchConfig &config;
  SharedFindings *shared; ///< what they are handed over to
};

} // namespace fly::emulator
