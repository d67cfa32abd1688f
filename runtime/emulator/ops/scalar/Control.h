// What the handlers of program control share.
#pragma once

#include "runtime/emulator/wave/Program.h"

namespace fly::emulator {

/// Hints and cache controls, which have no result: memory is coherent here, and nothing is slow.
void nothing(Wave &w, const Inst &i);
/// The same of caches that are written back, which the check of races takes as a release.
void writeBack(Wave &w, const Inst &i);
/// The same of caches that are invalidated: an acquire.
void invalidate(Wave &w, const Inst &i);
void writeBackAndInvalidate(Wave &w, const Inst &i);
/// Sleeping has no result either. Who sleeps usually waits for another wave: it gets its turn.
void yield(Wave &w, const Inst &i);
/// Goes on at an address; a fault if it is not code.
void jumpTo(Wave &w, uint64_t address);
/// Of the instruction after `i`.
uint64_t nextAddress(Wave &w, const Inst &i);
/// The target of a branch with a register operand, which may be a Target or a bare immediate.
uint64_t relativeTarget(Wave &w, const Inst &i);
/// Writes MODE, whose bits for VSKIP and register indexing change what the code means (Gfx9ControlOps.cpp).
void writeMode(Wave &w, uint32_t value);

} // namespace fly::emulator
