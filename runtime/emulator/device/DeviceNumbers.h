// Numbers of the emulated device that a program may query at launch. The emulator has no compute units; a small number
// that is not a power of two exposes code that depends on it.
#pragma once

namespace fly::emulator {
constexpr int computeUnits = 6;
} // namespace fly::emulator
