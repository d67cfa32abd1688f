// How large a host array may be: 2 GiB, unless a program of ours has less time for each (tests/fuzz).
#pragma once

#include <cstdint>

namespace fly::host {
extern int64_t arrayByteLimit;
} // namespace fly::host
