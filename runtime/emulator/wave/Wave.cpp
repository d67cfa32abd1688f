// Wave state: MODE, lane masks, faults.
#include "runtime/emulator/wave/Wave.h"

namespace fly::emulator {

void Mode::set(uint32_t value) {
  bits = value;
  round32 = value & 3;
  round16_64 = value >> 2 & 3;
  // FP_DENORM, two bits a precision: bit 0 keeps denormal inputs, bit 1 denormal results; of single at 5:4, of
  // half and double at 7:6.
  flushIn32 = !(value >> 4 & 1);
  flushOut32 = !(value >> 5 & 1);
  flushIn16_64 = !(value >> 6 & 1);
  flushOut16_64 = !(value >> 7 & 1);
  dx10Clamp = !ieeeModes || (value >> 8 & 1);
  ieee = ieeeModes && (value >> 9 & 1);
  clampsHalf = value >> 23 & 1;
  plain = (value & 0x8000ff) == 0xf0;
}

const uint32_t *Wave::activeLanes(uint64_t active) {
  if (execLanesOf != active) {
    for (unsigned l = 0; l < laneStride; ++l) execLanes[l] = 0u - static_cast<uint32_t>(active >> l & 1);
    execLanesOf = active;
  }
  return execLanes;
}

void Wave::fail(Fault reason) {
  if (stop == Stop::Fault) return;
  stop = Stop::Fault;
  fault = std::move(reason);
}

void Wave::fail(FaultKind kind, std::string what, int lane) { fail(Fault{kind, std::move(what), lane, 0, false}); }

void Wave::failAt(FaultKind kind, std::string what, int lane, uint64_t address) {
  fail(Fault{kind, std::move(what), lane, address, true});
}

} // namespace fly::emulator
