// Numbers of the emulated device that a program may ask for at launch. The emulator has no compute units; a small
// number that is no power of two finds what depends on it.
#pragma once

namespace fly::emulator {
constexpr int computeUnits = 6;
} // namespace fly::emulator
