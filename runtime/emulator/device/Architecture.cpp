// The architecture table.
#include "runtime/emulator/device/Architecture.h"

namespace fly::emulator {

static constexpr Architecture rows[] = {
    // name      wave  gfx12  cluster msb    signed global zero16 preload granule32/64 LDS          VGPRs
    {"gfx942", 64, false, false, false, false, false, true, true, 8, 8, 64 * 1024, 256},
    {"gfx950", 64, false, false, false, false, false, true, true, 8, 8, 160 * 1024, 256},
    {"gfx1201", 32, true, false, false, false, false, false, false, 8, 4, 64 * 1024, 256},
    {"gfx1250", 32, true, true, true, true, true, false, false, 16, 16, 320 * 1024, 1024, true},
};

const Architecture *findArchitecture(std::string_view name) {
  for (const Architecture &row : rows)
    if (row.name == name) return &row;
  return nullptr;
}

std::vector<std::string> architectureNames() {
  std::vector<std::string> names;
  for (const Architecture &row : rows) names.emplace_back(row.name);
  return names;
}

} // namespace fly::emulator
