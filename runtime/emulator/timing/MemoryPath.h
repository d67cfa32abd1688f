// The path to memory: an L1 cache per compute unit, the L2 cache of an XCD, the memory-side cache and memory.
//
//     request -> L1 (64 B per cycle, 32 KB in flight) -> fill -> channel of L2 -> memory-side cache -> memory
//
// Each stage is a Server, so a request that comes while it is busy waits. Latencies are from issue to use, as a pointer
// chase measures them; bandwidths are those of the stages. What a cache holds is simulated line by line, least recently
// used first out; a line that is still on its way can be hit, and is there when its fill is.
//
// If not all XCDs are simulated, those that are have their share of the chip's bandwidth beyond L2, and of the lines
// that other XCDs read too: `ownShare` is the part of the first misses that go to memory; for the rest another XCD has
// brought the line into the memory-side cache.
#pragma once

#include "runtime/emulator/timing/Machine.h"
#include "runtime/emulator/timing/Server.h"
#include "runtime/emulator/timing/Trace.h"

#include <unordered_set>
#include <vector>

namespace fly::emulator {

/// Tags with the time at which each line is there.
class Tags {
public:
  Tags(double bytes, double ways);
  /// When the line is there, or a negative number. A hit makes it the most recently used one.
  double find(uint64_t line);
  void insert(uint64_t line, double at);
  void clear();

private:
  struct Entry {
    uint64_t line = ~0ull, used = 0;
    double at = 0;
  };
  size_t setOf(uint64_t line) const;
  std::vector<Entry> entries;
  size_t sets, ways;
  uint64_t clock = 0;
};

/// The share of `footprint` bytes that a cache of `capacity` bytes still has after sweeps over all of them, if it
/// replaces a line at random. A line is hit if none of the misses since its last use took its place: s = exp(-(1 - s) f
/// / c).
double shareLeft(double footprint, double capacity);

/// What all XCDs share: the memory-side cache and memory.
class Beyond {
public:
  /// `part`: of the chip's bandwidth; `ownShare`: above; `warmShare`: of the lines, those that the memory-side cache
  /// has when the kernel starts; `lines`: how many the launch touches.
  Beyond(const Machine &machine, double part, double ownShare, double warmShare, size_t lines);
  double read(double now, uint64_t line);
  /// Returns when L2 can acknowledge the store: what it has not written back yet fits into it.
  double write(double now, uint64_t line);
  Server side, memory;
  double bytes = 0, memoryBytes = 0; ///< to and from L2; the part that is memory's
  /// The same by the time `end`, when lines may still wait to be written back.
  double bytesUntil(double end) const;
  double memoryBytesUntil(double end) const { return memoryBytes - lateMemoryBytes(end); }

private:
  const Machine &m;
  double sideCycles, memoryCycles; ///< per line
  /// What waits for memory after the end was written: reads are waited for.
  double lateMemoryBytes(double end) const {
    return memory.lateAfter(end) / (memoryCycles * m.memoryWriteFactor) * lineBytes;
  }
  /// Whether the line is in the memory-side cache when it is first read.
  bool isThereAtFirst(uint64_t line) const;
  double ownShare, warmShare;
  Tags held;                                  ///< the memory-side cache
  std::unordered_set<uint64_t> seen, written; ///< lines read; lines whose writing has been charged
};

/// The L2 cache of an XCD.
class FarMemory {
public:
  /// `units`: compute units of the XCD that are simulated.
  FarMemory(const Machine &machine, unsigned units, Beyond &beyond);
  /// A line requested at `now` is at the compute unit at the time returned.
  double read(double now, uint64_t line);
  /// A line's worth of stores; returns when they are acknowledged.
  double write(double now, uint64_t line, double bytes);
  double atomic(double now, uint64_t line);

  double l2Busy(double end) const; ///< cycles of all channels by `end`, divided by the number of channels
  uint64_t hits = 0, misses = 0;

private:
  Server &channelOf(uint64_t line);
  const Machine &m;
  Beyond &beyond;
  Tags l2;
  std::vector<Server> channels;
};

/// The L1 cache of a compute unit and what leads to it.
class NearMemory {
public:
  NearMemory(const Machine &machine, FarMemory &far);
  /// Cycles of the path for a request.
  double serviceOf(unsigned requests, unsigned laneBytes, bool isLoad) const;
  /// When `lines` more can be waited for, given those under way.
  double roomAt(double now, unsigned lines);
  /// A load's line whose turn comes at `now`; returns when its data is at the compute unit.
  double load(double now, uint64_t line);
  double store(double now, uint64_t line, double bytes) {
    return far.write(write.take(now, bytes / m.writeBytesPerCycle), line, bytes);
  }
  double atomic(double now, uint64_t line) { return far.atomic(now, line); }
  void invalidate() { tags.clear(); }

  Server path; ///< requests and data of all memory instructions
  uint64_t hits = 0, misses = 0;

private:
  const Machine &m;
  FarMemory &far;
  Tags tags;
  Server fill, write;
  std::vector<double> inFlight; ///< ring: when each of the lines in flight is there
  size_t nextInFlight = 0;
};

} // namespace fly::emulator
