// Who wants to see what a kernel does while it runs: profiles, checkers.
//
// A Watcher hears of each memory access once per executed instruction, with all lanes' addresses: global and flat
// addresses as the kernel has them, LDS and scratch as offsets. A transfer between global memory and LDS is two events,
// so is a paired LDS access (read2, write2). Events come at issue, in program order.
// A watcher may stop the wave with a fault.
// Without one (Wave::watcher is null) nothing is paid.
#pragma once

#include <cstdint>

namespace fly::emulator {

struct Wave;
struct Inst;
enum class Space : uint8_t { Global, Flat, Scratch, Buffer, Lds };

struct MemoryEvent {
  Space space;
  bool read, write, atomic;
  unsigned bytes;               ///< a lane
  uint64_t active;              ///< lanes that access: EXEC-active and within bounds
  const uint64_t *addresses;    ///< 64, valid where active; Lds, Scratch: offsets
};

class Watcher {
public:
  virtual ~Watcher() = default;
  virtual void access(Wave &wave, const Inst &inst, const MemoryEvent &event) = 0;
};

/// Two who want to see the same.
class WatcherPair final : public Watcher {
public:
  Watcher *first = nullptr, *second = nullptr;
  void access(Wave &wave, const Inst &inst, const MemoryEvent &event) override {
    first->access(wave, inst, event);
    second->access(wave, inst, event);
  }
};

} // namespace fly::emulator
