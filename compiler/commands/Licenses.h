// What `flyc --licenses` prints after the version: the licence of flyc, and the notices of what is linked into it. The
// texts come from LICENSE and packaging/licenses, put together by cmake/Licenses.cmake, and are embedded.
#pragma once

#include <string>

namespace fly::driver {

std::string licenses();

} // namespace fly::driver
