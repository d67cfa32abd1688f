// Buffer loads, stores and atomics; their bounds come from the resource (see bufferAddresses).
#include "runtime/emulator/Access.h"

namespace fly::emulator {

namespace {

void nothing(Wave &, const Inst &) {}

constexpr Row rows[] = {
    FLY_MEMORY_ROWS("BUFFER_", Space::Buffer), FLY_ATOMIC_ROWS("BUFFER_", Space::Buffer, ""),
    {"BUFFER_INV", nothing, Row::Other}, {"BUFFER_WBL2", nothing, Row::Other}, {"BUFFER_INVL2", nothing, Row::Other},
    {"BUFFER_WBINVL1", nothing, Row::Other}, {"BUFFER_WBINVL1_VOL", nothing, Row::Other},
};

} // namespace

std::span<const Row> bufferRows() { return rows; }

} // namespace fly::emulator
