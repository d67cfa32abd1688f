// Tables of this room: a row per instruction.
#pragma once

#include "runtime/emulator/wave/Program.h"

namespace fly::emulator {

std::span<const Row> moveRows();
std::span<const Row> integerRows();
std::span<const Row> shortIntegerRows();
std::span<const Row> floatRows();
std::span<const Row> doubleRows();
std::span<const Row> halfRows();
std::span<const Row> convertRows();
std::span<const Row> compareRows();
std::span<const Row> tinyConvertRows();
std::span<const Row> scaledConvertRows();
std::span<const Row> dotRows();
std::span<const Row> graphicsRows();
std::span<const Row> laneGroupRows();
std::span<const Row> packedRows();
std::span<const Row> crossLaneRows();

} // namespace fly::emulator
