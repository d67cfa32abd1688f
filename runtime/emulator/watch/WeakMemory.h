// Memory with caches that nobody keeps coherent, so that a lost write-back or invalidation shows in results as it would
// on hardware. Only launches in which such an instruction is broken have it (launch/Mutation.h); the emulator's memory
// is coherent otherwise.
//
//     a load           makes a copy of the lines that it reads, and reads the copy from then on
//     a store          changes the copy and memory. Where L2s are several (gfx942, gfx950, gfx1250) it stays in the
//     copy a write-back     of a scope beyond the workgroup takes what stayed there to memory; so does the end of the
//     launch an invalidation  of such a scope drops copies
//     an access that names such a scope, and an atomic operation, pass the copy
//
// Each workgroup has copies of its own, as if it had a compute unit to itself; with two compute units for a workgroup
// (WGP mode of gfx1201) every other wave. Copies stay as long as the launch: a cache of any size, the worst one. Scalar
// loads and the tensor mover read memory.
//
// An operation is performed by the interpreter, which knows no caches. Meanwhile memory holds what the wave is to see;
// what a store has changed is found by performing it over two different backgrounds. So there must be one thread.
#pragma once

#include "runtime/emulator/wave/Pending.h"

#include <array>
#include <bitset>
#include <map>

namespace fly::emulator {

class WeakMemory final : public WaveObserver {
public:
  struct Shape {
    bool keepsStores;     ///< L2s are several
    bool splitsWorkgroup; ///< between two compute units
  };
  explicit WeakMemory(Shape shape) : shape(shape) {}

  void begin(Wave &wave, const WaveStart &start) override;
  void finish(Program &program) override;
  void release(Wave &wave, Reach reach) override;
  void acquire(Wave &wave, Reach reach) override;
  void carryOut(Wave &wave, Pending &operation) override;
  void deliver(Wave &wave, Pending &operation) override;
  bool isPlain(const Wave &, const Pending &) const override { return false; }

private:
  static constexpr unsigned lineBytes = 128;
  using Bytes = std::array<uint8_t, lineBytes>;
  using Mask = std::bitset<lineBytes>;
  struct Line {
    Bytes bytes;
    Mask valid, kept; ///< which bytes are copies; which of them memory does not have
  };
  using Cache = std::map<uint64_t, Line>; ///< by host address

  Cache &of(const Wave &wave) { return caches[numbers.at(&wave)]; }
  void load(Wave &wave, Pending &operation, const std::vector<uint64_t> &lines, bool passes);
  void store(Wave &wave, Pending &operation, const std::vector<uint64_t> &lines, bool passes);

  Shape shape;
  std::map<const Wave *, uint32_t> numbers; ///< of each wave's cache
  std::map<uint32_t, Cache> caches;
};

} // namespace fly::emulator
