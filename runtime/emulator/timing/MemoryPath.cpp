#include "runtime/emulator/timing/MemoryPath.h"

#include <cmath>

namespace fly::emulator {

namespace {

/// Spreads lines over channels, so that power-of-two strides do not always meet the same one.
uint64_t mix(uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

} // namespace

Tags::Tags(double bytes, double ways) : ways(std::max<size_t>(1, static_cast<size_t>(ways))) {
  const auto lines = std::max<size_t>(static_cast<size_t>(bytes / lineBytes), 1);
  this->ways = std::min(this->ways, lines);
  sets = std::max<size_t>(1, lines / this->ways);
  entries.resize(sets * this->ways);
}

size_t Tags::setOf(uint64_t line) const { return static_cast<size_t>(mix(line) % sets) * ways; }

double Tags::find(uint64_t line) {
  for (Entry *e = &entries[setOf(line)], *end = e + ways; e != end; ++e)
    if (e->line == line) {
      e->used = ++clock;
      return e->at;
    }
  return -1;
}

void Tags::insert(uint64_t line, double at) {
  Entry *e = &entries[setOf(line)], *end = e + ways, *oldest = e;
  for (; e != end; ++e) {
    if (e->line == line) {
      oldest = e;
      break;
    }
    if (e->used < oldest->used) oldest = e;
  }
  *oldest = {line, ++clock, at};
}

void Tags::clear() { std::fill(entries.begin(), entries.end(), Entry()); }

double shareLeft(double footprint, double capacity) {
  if (footprint <= capacity) return 1;
  double share = 0; // below the root that is sought, which attracts; the other one is 1
  for (unsigned step = 0; step < 1000; ++step) share = std::exp((share - 1) * footprint / capacity);
  return share;
}

namespace {

/// Of the memory-side cache, for the lines of the XCDs that are simulated: what they share with others takes no more
/// room. Four times the launch's lines are as good as more.
double heldBytes(const Machine &m, double part, double ownShare, size_t lines) {
  return std::min(m.memorySideBytes * part / ownShare, 4.0 * static_cast<double>(lines) * lineBytes);
}

constexpr double sideWays = 16;

} // namespace

Beyond::Beyond(const Machine &machine, double part, double ownShare, double warmShare, size_t lines)
    : m(machine), sideCycles(lineBytes / (machine.memorySideBytesPerCycle * part)),
      memoryCycles(lineBytes / (machine.memoryBytesPerCycle * part)), ownShare(ownShare), warmShare(warmShare),
      held(heldBytes(machine, part, ownShare, lines), sideWays) {}

bool Beyond::isThereAtFirst(uint64_t line) const {
  // One draw decides both: whether an earlier launch has left it, and whether another XCD of this one has brought it.
  const double draw = static_cast<double>(mix(line ^ 0x5bd1e995) >> 11) * 0x1p-53;
  return draw >= ownShare * (1 - warmShare);
}

double Beyond::read(double now, uint64_t line) {
  bytes += lineBytes;
  double at = now;
  if (m.memorySideBytes > 0) {
    at = side.take(now, sideCycles) + m.memorySideLatency;
    const bool isThere = held.find(line) >= 0 || (seen.insert(line).second && isThereAtFirst(line));
    held.insert(line, at);
    if (isThere) return at;
  }
  memoryBytes += lineBytes;
  return std::max(at, memory.take(now, memoryCycles) + m.memoryLatency);
}

/// Lines are written back once, some time: this takes bandwidth, and nobody waits for it until the L2 caches are full
/// of lines that wait for it.
double Beyond::write(double now, uint64_t line) {
  if (!written.insert(line).second) return now;
  bytes += lineBytes;
  const double held = m.l2Bytes * m.xcds; // of the chip, as the bandwidths
  double at = now;
  if (m.memorySideBytes > 0) at = std::max(at, side.take(now, sideCycles) - held / m.memorySideBytesPerCycle);
  if (m.memorySideBytes > 0 && warmShare >= 1) return at; // what is written stays in the memory-side cache
  memoryBytes += lineBytes;
  const double cycles = memoryCycles * m.memoryWriteFactor;
  return std::max(at, memory.take(now, cycles) - held / m.memoryBytesPerCycle * m.memoryWriteFactor);
}

double Beyond::bytesUntil(double end) const {
  const bool hasSide = m.memorySideBytes > 0;
  return bytes - (hasSide ? side.lateAfter(end) / sideCycles * lineBytes : lateMemoryBytes(end));
}

FarMemory::FarMemory(const Machine &machine, unsigned units, Beyond &beyond)
    : m(machine), beyond(beyond), l2(machine.l2Bytes, machine.l2Ways),
      channels(static_cast<size_t>(std::max(1.0, std::round(machine.l2Channels * units / machine.computeUnits)))) {}

/// Two lines share a channel before the next one takes over.
Server &FarMemory::channelOf(uint64_t line) { return channels[mix(line / 2) % channels.size()]; }

double FarMemory::read(double now, uint64_t line) {
  const double begin = channelOf(line).take(now, lineBytes / m.l2ReadBytesPerCycle);
  if (const double there = l2.find(line); there >= 0) {
    ++hits;
    return std::max(begin + m.l2Latency, there);
  }
  ++misses;
  const double at = beyond.read(begin, line);
  l2.insert(line, at);
  return at;
}

double FarMemory::write(double now, uint64_t line, double bytes) {
  const double begin = channelOf(line).take(now, std::max(bytes, 32.0) / m.l2WriteBytesPerCycle);
  l2.insert(line, begin + m.l2Latency);
  return beyond.write(begin, line) + m.l2Latency;
}

double FarMemory::atomic(double now, uint64_t line) {
  const double there = read(now, line);
  beyond.write(now, line);
  return there;
}

double FarMemory::l2Busy(double end) const {
  double sum = 0;
  for (const Server &c : channels) sum += c.busyUntil(end);
  return sum / static_cast<double>(channels.size());
}

NearMemory::NearMemory(const Machine &machine, FarMemory &far)
    : m(machine), far(far), tags(machine.l1Bytes, machine.l1Ways),
      inFlight(std::max<size_t>(1, static_cast<size_t>(machine.inFlightBytes / lineBytes)), 0) {}

double NearMemory::serviceOf(unsigned requests, unsigned laneBytes, bool isLoad) const {
  const bool narrow = isLoad && (laneBytes == 8 || laneBytes <= 2);
  const double cycles = requests * 64.0 / m.l1BytesPerCycle * (narrow ? m.narrowFactor : 1);
  return std::max(cycles, m.turn);
}

double NearMemory::roomAt(double now, unsigned lines) {
  // The ring holds the last ones in order of request; the one that `lines` more would overwrite must be there.
  if (lines == 0) return now;
  const size_t n = inFlight.size();
  const size_t last = (nextInFlight + std::min<size_t>(lines, n) - 1) % n;
  return std::max(now, inFlight[last]);
}

double NearMemory::load(double now, uint64_t line) {
  if (const double there = tags.find(line); there >= 0) {
    ++hits;
    return std::max(now + m.l1Latency, there);
  }
  ++misses;
  const double begin = fill.take(now, lineBytes / m.fillBytesPerCycle);
  const double at = far.read(begin, line);
  tags.insert(line, at);
  inFlight[nextInFlight] = at;
  nextInFlight = (nextInFlight + 1) % inFlight.size();
  return at;
}

} // namespace fly::emulator
