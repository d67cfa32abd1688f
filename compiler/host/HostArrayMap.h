// Functions of floats on host arrays, element by element: those that are neither operators nor reductions.
#pragma once

#include "compiler/host/HostArray.h"

namespace fly::host {

/// Integers become doubles first. Poison in an operand is poison in the result.
ArrayResult map(double (*function)(double), const HostArray &x, bool givesBool);
/// With NumPy's broadcasting.
ArrayResult map(double (*function)(double, double), const HostArray &x, const HostArray &y);

} // namespace fly::host
