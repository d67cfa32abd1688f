// `flyc doctor --full` and `--read`, and the processes that do the parts of it.
#pragma once

#include "compiler/compilation/Session.h"
#include "compiler/doctor/Advice.h"

#include <string>
#include <vector>

namespace fly::driver {

struct FullSettings {
  std::string output = "flyc-doctor.json";
  std::vector<std::string> archs; ///< empty: those of all GPUs that flyc compiles for
  std::string kernels, only, form;
  unsigned minutes = 0; ///< 0: no limit
  bool restart = false;
  unsigned launchSeconds = 0; ///< 0: by what the GPU does besides
  unsigned stallSeconds = 300, recoverySeconds = 60;
};

/// The exit status: 0 if there are no suspects, 1 if there are, or if it stopped midway; 2 after a wrong option.
int runFullCheck(Session &session, const FullSettings &settings, const std::vector<doctor::Section> &system,
                 const doctor::HipFacts &hip);

int readHardwareReport(Session &session, const std::string &path, const std::string &machinePath, bool json);

/// What one process of a full check does.
struct HardwareWork {
  std::string kind; ///< "instructions", "constants", "probe"
  std::string architecture, journal, task, only;
  unsigned launchSeconds = 20;
};
int runHardwareWork(Session &session, const HardwareWork &work);

} // namespace fly::driver
