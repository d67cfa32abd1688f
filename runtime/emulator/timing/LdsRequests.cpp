// LDS: each pair of SIMDs has a port with a queue, and all share the banks.
//
// A request occupies the way of its port, read or write, for its bytes, and the banks for its phases with their
// conflicts; the port's next request waits for both. So one wave alone reads 16 bytes per lane at the rate of its port,
// and a conflict that is hidden there shows when all SIMDs read.
#include "runtime/emulator/timing/Replay.h"

namespace fly::emulator {

/// The port of a SIMD of the compute unit.
uint32_t Replay::portOf(uint32_t number, uint32_t simd) const {
  const ComputeUnit &unit = units[number];
  const size_t shared = std::max<size_t>(1, shape.simds / unit.ports.size());
  return static_cast<uint32_t>((simd - unit.firstSimd) / shared % unit.ports.size());
}

void Replay::requestLds(const Request &r, uint64_t now) {
  const WaveState &w = waves[r.wave];
  const uint32_t unit = w.computeUnit, port = portOf(unit, w.simd);
  RequestQueue &queue = units[unit].ports[port].queue;
  queue.add(r, w.simd);
  if (queue.requests.size() == 1) scheduleLds(unit, port, now + turn);
}

void Replay::scheduleLds(uint32_t number, uint32_t portNumber, uint64_t now) {
  ComputeUnit &unit = units[number];
  LdsPort &port = unit.ports[portNumber];
  port.queue.serviceAt = never;
  if (port.queue.requests.empty()) return;
  const double way = port.wayOf(*port.queue.requests.front().use).freeAt;
  port.queue.serviceAt = static_cast<uint64_t>(std::ceil(std::max({static_cast<double>(now), way, unit.banks.freeAt})));
  events.push({port.queue.serviceAt, Event::Lds, number, portNumber});
}

void Replay::serveLds(uint32_t number, uint32_t portNumber, uint64_t now) {
  ComputeUnit &unit = units[number];
  LdsPort &port = unit.ports[portNumber];
  if (unit.banks.freeAt > static_cast<double>(now)) // the other port took them
    return scheduleLds(number, portNumber, now);
  if (unit.lastPort == portNumber)
    for (uint32_t other = 0; other < unit.ports.size(); ++other) // ports take turns
      if (other != portNumber && unit.ports[other].queue.serviceAt == now) {
        serveLds(number, other, now);
        return scheduleLds(number, portNumber, now);
      }
  unit.lastPort = portNumber;
  const Request r = port.queue.take();
  const MemoryUse &use = *r.use;
  double phases = use.ldsCycles;
  if (use.ldsUnaligned) phases = std::max(phases, use.ldsIdeal * m.ldsUnalignedFactor);
  const double transfer = std::max(use.ldsBytes / m.ldsPortBytes, 1.0), banks = phases * m.ldsPhaseCycles;
  const bool writes = &port.wayOf(use) == &port.write;
  unit.banks.take(static_cast<double>(now), banks + (writes != unit.wroteLast ? m.ldsTurnaround : 0));
  unit.wroteLast = writes;
  port.wayOf(use).take(static_cast<double>(now), transfer);
  complete(r, now + static_cast<uint64_t>(std::ceil(std::max(transfer, banks) + m.ldsLatency)), now);
  for (uint32_t s = unit.firstSimd; s < unit.firstSimd + shape.simds; ++s)
    if (portOf(number, s) == portNumber) wake(s, now + 1);
  scheduleLds(number, portNumber, now);
}

} // namespace fly::emulator
