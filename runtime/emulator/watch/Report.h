// What went wrong in a wave, or with the waves of a launch, as a FaultReport: kernel, instruction, source line, workgroup,
// wave, lane, address.
#pragma once

#include "runtime/emulator/wave/Program.h"
#include "runtime/emulator/wave/Watcher.h"

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

/// Collects what checks with CheckMode::Warn find in the waves of one thread.
class FindingRecorder final : public FindingWatcher {
public:
  FindingRecorder(Program &program, const LaunchConfig &config) : program(program), config(config) {}
  void found(const Wave &wave, const Fault &finding) override;
  uint64_t unit = 0; ///< that is running
  FindingList list;

private:
  Program &program;
  const LaunchConfig &config;
};

} // namespace fly::emulator
