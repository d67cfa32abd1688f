// Global, flat and scratch loads, stores and atomics. Cache control does nothing: memory is coherent here.
#include "runtime/emulator/Access.h"

namespace fly::emulator {

namespace {

void nothing(Wave &, const Inst &) {}

constexpr Row rows[] = {
    FLY_MEMORY_ROWS("GLOBAL_", Space::Global), FLY_ATOMIC_ROWS("GLOBAL_", Space::Global, ""),
    FLY_MEMORY_ROWS("FLAT_", Space::Flat), FLY_ATOMIC_ROWS("FLAT_", Space::Flat, "_U32"),
    FLY_MEMORY_ROWS("SCRATCH_", Space::Scratch),
    {"GLOBAL_INV", nothing, Row::Other}, {"GLOBAL_WB", nothing, Row::Other}, {"GLOBAL_WBINV", nothing, Row::Other},
    {"GLOBAL_PREFETCH_B8", nothing, Row::Other}, {"FLAT_PREFETCH_B8", nothing, Row::Other},
};

} // namespace

std::span<const Row> vectorMemoryRows() { return rows; }

} // namespace fly::emulator
