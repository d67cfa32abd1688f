// The colours of a picture of time: what units and stalls look like. An instruction's unit and a wait for that unit
// have the same hue, so blue is memory everywhere.
#pragma once

#include "runtime/emulator/timing/Timing.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace fly::timing {

// clang-format off
/// A kind of instruction, as it is drawn.
enum class Unit : uint8_t {
  Matrix, Vector, Transcendental, Scalar, Lds, VectorMemory, ScalarMemory, Wait, Barrier, Branch, Other, Count
};
// clang-format on
inline constexpr std::size_t unitCount = static_cast<std::size_t>(Unit::Count);

/// Of isa::name(Class): "matrix", "vector memory", ...
Unit unitOf(std::string_view name);
/// Its result comes later, while the wave goes on: it is drawn as a flight.
constexpr bool flies(Unit unit) {
  return unit == Unit::Lds || unit == Unit::VectorMemory || unit == Unit::ScalarMemory;
}

struct Look {
  const char *label;
  const char *light, *dark; ///< `#rrggbb` on a light and on a dark ground
};
const Look &look(Unit unit);
/// The label is emulator::name(stall).
struct StallLook {
  const char *light, *dark;
  const char *sentence; ///< what it means
};
const StallLook &look(emulator::Stall stall);

/// The custom properties --unit-0.. and --stall-0.., with rules .u0 and .s0 that fill with them.
std::string paletteCss();

} // namespace fly::timing
