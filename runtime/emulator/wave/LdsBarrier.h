// gfx1250's barriers in LDS: an object of 64 bits that counts arrivals and has a phase.
//
//     28:0 arrivals still to come, less one   31:29 phase   47:32 what the count starts again from   63:48 zero
//
// An arrival subtracts from the low 32 bits. When the count rolls under, the borrow has changed the phase; the count
// is set again. Who waits polls the phase's lowest bit.
//
// Sources: Triton (its width of 29 bits, the parity bit and the initial value) and another library's notes of the same;
// the ISA guide gives the count several possible widths and its two formulas of rolling under contradict each other, so
// the width and the exact moment are single source (compilers' use).
#pragma once

#include <cstdint>

namespace fly::emulator {

struct Pending;
struct Wave;

/// The race check's part of an arrival, at its issue; AsyncOps.cpp.
void announceArrival(Wave &w, Pending &p);
/// Arrives at the object at `at`, for one lane or operation; its former value.
uint64_t performArrival(Wave &w, const Pending &p, uint8_t *at, uint32_t arrivals);
/// After the last of the record's arrivals.
void concludeArrival(Wave &w, const Pending &p);

inline uint64_t arriveAtLdsBarrier(uint64_t barrier, uint32_t arrivals) {
  constexpr unsigned width = 29;
  constexpr uint32_t countMask = (1u << width) - 1;
  uint32_t state = static_cast<uint32_t>(barrier) - arrivals;
  if (state >> (width - 1) & 1) state = (state & ~countMask) | (static_cast<uint32_t>(barrier >> 32) & 0xffff);
  return (barrier & 0xffffffff00000000ull) | state;
}

} // namespace fly::emulator
