// Texts of what went wrong.
#pragma once

#include "runtime/emulator/wave/Program.h"
#include "runtime/emulator/wave/Watcher.h"

namespace fly::emulator {

/// Fills `result` from the wave's fault: kernel, instruction, source line, workgroup, wave, lane, address.
void reportFault(LaunchResult &result, Program &program, const Wave &wave, const LaunchConfig &config);
/// No wave can run: reports where each one is.
void reportDeadlock(LaunchResult &result, Program &program, const std::vector<Wave *> &waves,
                    const LaunchConfig &config);
/// The launch has executed more instructions than its limit, the last of them in `wave`: reports where each wave of its
/// workgroup is, and what it waits for. They run on a little for that.
void reportRunaway(LaunchResult &result, Program &program, Wave &wave, const std::vector<Wave *> &waves,
                   uint64_t limit);

/// Every wave that runs goes round, and nothing will change: adds where each one is and what it polls to the report, which
/// may have those of other devices already.
void reportStuck(LaunchResult &result, Program &program, const std::vector<Wave *> &waves);

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
