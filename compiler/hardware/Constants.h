// The microbenchmarks of `flyc calibrate` on a GPU, without a program of their own: a line in a journal for each probe.
#pragma once

#include "compiler/calibrate/Calibration.h"
#include "compiler/hardware/Journal.h"

namespace fly::hardware {

struct ConstantWork {
  const target::Target *target = nullptr;
  unsigned repeat = 15;
  unsigned launchSeconds = 20; ///< the GPU counts as lost after a launch that takes longer
};

/// The exit statuses of runForms. On the emulated HIP, few trips and little memory: its times mean nothing.
int measureConstants(driver::Session &session, const ConstantWork &work, Journal &journal);

/// What the results of such a task tell, as `flyc calibrate --read` reads it; none if no probe was measured.
std::optional<driver::calibration::Results> resultsOf(const std::vector<JournalResult> &measured,
                                                      const std::string &architecture, const std::string &device,
                                                      const std::string &date);

} // namespace fly::hardware
