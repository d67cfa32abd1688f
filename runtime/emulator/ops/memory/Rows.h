// Tables of this room: a row per instruction.
#pragma once

#include "runtime/emulator/wave/Program.h"

namespace fly::emulator {

std::span<const Row> transposeLoadRows();
std::span<const Row> gfx12MemoryRows();
std::span<const Row> asyncRows();
std::span<const Row> tensorRows();
std::span<const Row> scalarMemoryRows();
std::span<const Row> vectorMemoryRows();
std::span<const Row> bufferRows();
std::span<const Row> bufferFormatRows();
std::span<const Row> ldsRows();

/// A buffer load that writes its status, too (BufferOps.cpp).
void runWithStatus(Wave &, const Inst &);
/// An access of scope or order, which may poll (VectorMemoryOps.cpp).
void runPolling(Wave &, const Inst &);

} // namespace fly::emulator
