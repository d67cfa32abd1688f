// The tables of colours. See Palette.h.
#include "compiler/timing/Palette.h"

#include <algorithm>

namespace fly::timing {

namespace {

// clang-format off
constexpr Look units[] = {
    {"matrix", "#ea8a0a", "#ffab3d"},
    {"VALU", "#2f9e5a", "#4fc983"},
    {"transcendental", "#82b023", "#a9d84e"},
    {"SALU", "#8b80bd", "#aaa0dc"},
    {"LDS", "#0a9da3", "#2fcbd0"},
    {"memory", "#2f6fe0", "#6da2ff"},
    {"scalar memory", "#6d50d2", "#9f8bf5"},
    {"wait", "#97a0ab", "#747f8c"},
    {"barrier", "#d43d98", "#f26cbf"},
    {"branch", "#9a6b40", "#c59a6b"},
    {"other", "#b4bbc4", "#59636f"},
};
// clang-format on
static_assert(std::size(units) == unitCount);

/// By isa::name(Class).
constexpr struct {
  std::string_view name;
  Unit unit;
} classes[] = {
    {"matrix", Unit::Matrix},
    {"vector", Unit::Vector},
    {"transcendental", Unit::Transcendental},
    {"scalar", Unit::Scalar},
    {"LDS", Unit::Lds},
    {"vector memory", Unit::VectorMemory},
    {"scalar memory", Unit::ScalarMemory},
    {"wait", Unit::Wait},
    {"barrier", Unit::Barrier},
    {"branch", Unit::Branch},
};

constexpr StallLook stalls[] = {
    {"#2f6fe0", "#6da2ff", "A wait for loads or stores of memory."},
    {"#0a9da3", "#2fcbd0", "A wait for LDS."},
    {"#6d50d2", "#9f8bf5", "A wait for scalar loads or messages."},
    {"#d43d98", "#f26cbf", "A barrier: other waves have not arrived."},
    {"#cf4440", "#f57f7a", "An operand is not ready."},
    {"#ea8a0a", "#ffab3d", "The matrix unit is busy."},
    {"#2f9e5a", "#4fc983", "The vector unit is busy."},
    {"#b39800", "#e0c63a", "Another wave has the issue slot."},
    {"#076a70", "#198f95", "LDS accepts no more requests."},
    {"#1d3f91", "#486fd0", "The path to memory accepts no more requests."},
    {"#8f3cb3", "#c583e6", "A counter of outstanding operations is full."},
    {"#8a5a2e", "#c59a6b", "The code is not in the instruction cache, or a branch was taken."},
    {"#97a0ab", "#747f8c", "The instruction itself waits: s_nop, s_sleep."},
};
static_assert(std::size(stalls) == emulator::stallCount);

} // namespace

Unit unitOf(std::string_view name) {
  const auto *found = std::ranges::find_if(classes, [&](const auto &c) { return c.name == name; });
  return found == std::end(classes) ? Unit::Other : found->unit;
}

const Look &look(Unit unit) { return units[std::min(static_cast<std::size_t>(unit), unitCount - 1)]; }

const StallLook &look(emulator::Stall stall) {
  return stalls[std::min<std::size_t>(static_cast<std::size_t>(stall), emulator::stallCount - 1)];
}

std::string paletteCss() {
  std::string light, dark, rules;
  auto add = [&](const std::string &name, const std::string &rule, const char *inLight, const char *inDark) {
    light += "--" + name + ":" + inLight + ";";
    dark += "--" + name + ":" + inDark + ";";
    rules += "." + rule + "{fill:var(--" + name + ");background-color:var(--" + name + ")}\n";
  };
  for (std::size_t i = 0; i < unitCount; ++i)
    add("unit-" + std::to_string(i), "u" + std::to_string(i), units[i].light, units[i].dark);
  for (std::size_t i = 0; i < emulator::stallCount; ++i)
    add("stall-" + std::to_string(i), "s" + std::to_string(i), stalls[i].light, stalls[i].dark);
  return ":root{" + light + "}\n@media (prefers-color-scheme:dark){:root:not([data-theme=light]){" + dark +
         "}}\n:root[data-theme=dark]{" + dark + "}\n" + rules;
}

} // namespace fly::timing
