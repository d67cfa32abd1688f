// A few checks on a device and on the emulator, in a process of their own.
#pragma once

#include "compiler/doctor/Advice.h"

namespace fly::doctor {

/// `seconds`: for all of it. `launchSeconds`: for one launch.
Section smallRun(const std::vector<std::string> &architectures, unsigned seconds, unsigned launchSeconds);

} // namespace fly::doctor
