#include "compiler/launch/TimeOptions.h"

#include "compiler/launch/Arguments.h"
#include "runtime/emulator/timing/Machine.h"

namespace fly::driver {

std::optional<emulator::Timing::Options> timingOptionsOf(Session &session, const TimeOptions &options) {
  emulator::Timing::Options timing;
  timing.sample = options.sample;
  timing.rounds = options.rounds;
  timing.warm = !options.cold;
  timing.allIfDifferent = options.computeUnits == "auto";
  if (options.computeUnits == "all")
    timing.wholeChip = true;
  else if (options.computeUnits != "auto" && options.computeUnits != "xcd" &&
           (llvm::StringRef(options.computeUnits).getAsInteger(10, timing.computeUnits) || !timing.computeUnits)) {
    session.diags.report(diag::bad_option, {})
        .arg("--cus " + options.computeUnits)
        .arg("choose auto, xcd, all, or a number of compute units above 0");
    return std::nullopt;
  }
  if (!options.machine.empty()) {
    auto text = readFile(options.machine);
    if (!text.ok()) {
      session.diags.report(diag::cannot_read, {}).arg(options.machine).arg(text.error);
      return std::nullopt;
    }
    std::string error;
    timing.machine = emulator::parseMachine(text.value, error);
    if (!timing.machine) {
      session.diags.report(diag::cannot_read, {}).arg(options.machine).arg(error);
      return std::nullopt;
    }
  }
  return timing;
}

} // namespace fly::driver
