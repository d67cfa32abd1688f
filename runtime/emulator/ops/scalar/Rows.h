// Tables of this room: a row per instruction.
#pragma once

#include "runtime/emulator/wave/Program.h"

namespace fly::emulator {

std::span<const Row> scalarRows();
std::span<const Row> scalarFloatRows();
std::span<const Row> controlRows();
std::span<const Row> gfx9ControlRows();
std::span<const Row> barrierRows();

/// Handlers that stop the wave with their own FaultKinds (ControlOps.cpp).
void runUnknown(Wave &, const Inst &);
void runBadRegister(Wave &, const Inst &);
void runBadJump(Wave &, const Inst &);
void runDual(Wave &, const Inst &);
/// Adds M0 to the operands that s_set_gpr_idx names, skips an instruction (Gfx9ControlOps.cpp).
void runIndexed(Wave &, const Inst &);
void runSkipped(Wave &, const Inst &);

} // namespace fly::emulator
