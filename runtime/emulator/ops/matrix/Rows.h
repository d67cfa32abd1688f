// Tables of this room: a row per instruction.
#pragma once

#include "runtime/emulator/wave/Program.h"

namespace fly::emulator {

std::span<const Row> mfmaRows();
std::span<const Row> wmmaRows();

} // namespace fly::emulator
