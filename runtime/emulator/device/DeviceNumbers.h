// Numbers of the emulated device that a program may query at launch. The emulator has no compute units; a small number
// that is not a power of two exposes code that depends on it.
#pragma once

namespace fly::emulator {
constexpr unsigned defaultComputeUnits = 6, maxComputeUnits = 4096;
} // namespace fly::emulator
