// Observers of a running kernel: profiles, checkers.
//
// A Watcher is notified of each memory access once per executed instruction, with all lanes' addresses: global and flat
// addresses as the kernel has them, LDS and scratch as offsets. A transfer between global memory and LDS is two events,
// so is a paired LDS access (read2, write2). Events come at issue, in program order. A watcher may stop the wave with a
// fault. Without one (Wave::watcher is null) there is no cost.
#pragma once

#include <cstdint>

namespace fly::isa {
struct Instruction;
}

namespace fly::emulator {

struct Wave;
struct Inst;
struct Fault;
struct Pending;
enum class Space : uint8_t { Global, Flat, Scratch, Buffer, Lds };

/// How far an access, a write-back or an invalidation of caches goes: the workgroup, its cluster, all of the device, all
/// devices.
enum class Reach : uint8_t { Group, Cluster, Agent, System };
/// The one that the instruction names; atomics that return or change something reach the device at least.
Reach reachOf(const isa::Instruction &instruction, bool isAtomic = false);

/// What a store from registers stores: words in rows of laneStride lanes. Null if that is not known at the issue.
struct StoredData {
  const uint32_t *words = nullptr;
  unsigned shift = 0; ///< 16: the bytes begin in the high half
};

struct MemoryEvent {
  Space space;
  bool read, write, atomic;
  unsigned bytes;            ///< a lane
  uint64_t active;           ///< lanes that access: EXEC-active and within bounds
  const uint64_t *addresses; ///< 64, valid where active; Lds, Scratch: offsets
  StoredData stored = {};    ///< of stores from registers
};

/// The bytes that a lane stores; its words must be known.
void copyStored(const MemoryEvent &event, unsigned lane, uint8_t *to);
/// The same of `count` lanes from `lane` on, one after the other.
void copyStored(const MemoryEvent &event, unsigned lane, unsigned count, uint8_t *to);
/// Whether the lanes are the first ones, and each one's bytes follow those of the lane before it.
bool followEachOther(const MemoryEvent &event);

class Watcher {
public:
  virtual ~Watcher() = default;
  virtual void access(Wave &wave, const Inst &inst, const MemoryEvent &event) = 0;
};

struct Pending;

/// Is notified of events that order the waves of a workgroup: barriers, and arrivals at barriers in LDS. Waves have
/// their index in the workgroup; `barrier` is the number that instructions have for it.
class OrderWatcher {
public:
  virtual ~OrderWatcher() = default;
  /// The wave signals a barrier that has completed `completed` times; the wave continues after its `completed`-th time.
  virtual void signal(unsigned wave, int barrier, uint64_t completed) = 0;
  virtual void pass(unsigned wave, int barrier, uint64_t completed) = 0;
  /// The wave has come to the wait for a barrier that it has passed for the `passed`-th completion last: it executes
  /// nothing before it passes.
  virtual void wait(unsigned wave, int barrier, uint64_t passed) = 0;
  /// An operation is issued, after its accesses were watched, and is performed.
  virtual void issue(Wave &wave, const Pending &operation) = 0;
  virtual void perform(Wave &wave, const Pending &operation) = 0;
  /// The wave writes caches back: what it does to release memory beyond the workgroup.
  virtual void release(Wave &wave, Reach reach) = 0;
  /// The wave invalidates caches: what it does to acquire memory.
  virtual void acquire(Wave &wave, Reach reach) = 0;
  /// A wave issues an arrival at a barrier in LDS; returns what the arrival is called until it is performed.
  virtual uint32_t beginArrival(unsigned wave) = 0;
  /// One lane's arrival at the object at `offset` is performed; it may have turned the phase.
  virtual void arrive(uint32_t arrival, uint32_t offset, bool turned) = 0;
  virtual void endArrival(uint32_t arrival) = 0;
  /// A wave's operation that reads `offset` of LDS is performed.
  virtual void observe(unsigned wave, uint32_t offset) = 0;
  virtual bool hasObjects() const = 0;
};

/// Is notified of what a check with CheckMode::Warn finds in the wave's current instruction, and of notes. The wave
/// continues.
class FindingWatcher {
public:
  virtual ~FindingWatcher() = default;
  virtual void found(const Wave &wave, const Fault &finding) = 0;
};

/// Executes what may use a value that was never written; InitCheck.h. The wave's filters (Wave::unsetVector and
/// unsetScalar) tell which instructions may; the others are executed without it.
class InitWatcher {
public:
  virtual ~InitWatcher() = default;
  virtual void execute(Wave &wave, const Inst &inst) = 0;
  /// An operation of the wave is performed, and delivered.
  virtual void perform(Wave &wave, Pending &pending) = 0;
  virtual void deliver(Wave &wave, Pending &pending) = 0;
  /// Whether the load can go straight from memory to registers: nothing of either may be unset.
  virtual bool isPlain(const Wave &wave, const Pending &pending) const = 0;
};

/// Forwards to two watchers.
class WatcherPair final : public Watcher {
public:
  Watcher *first = nullptr, *second = nullptr;
  void access(Wave &wave, const Inst &inst, const MemoryEvent &event) override {
    first->access(wave, inst, event);
    second->access(wave, inst, event);
  }
};

} // namespace fly::emulator
