// Observers of waves: checks, profiles, recorders. docs/adding-a-check.md says how to add one.
//
// An observer is one class. When a wave starts it asks for the hooks that it wants, and is told of these alone:
//
//     class Stores final : public WaveObserver {
//       void begin(Wave &wave, const WaveStart &) override { wave.observers.add(*this, {Hook::Access}); }
//       void access(Wave &wave, const Inst &inst, const MemoryEvent &event) override { ... }
//     };
//
// Each wave has one set, WaveObservers. A hook that nobody wants costs the test of a bit where the wave would tell of it,
// and no call. Observers are told in the order in which they were added. What is told of comes in program order; an
// observer may stop the wave with a fault (Wave::fail), or report a finding (WaveObservers::found) and let it go on.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace fly::isa {
struct Instruction;
}

namespace fly::emulator {

struct Wave;
struct WaveStart;
struct Inst;
struct Fault;
struct Pending;
struct Program;
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

/// An access with all lanes' addresses: global and flat addresses as the kernel has them, LDS and scratch as offsets.
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

/// What an observer may be told of; each names functions of WaveObserver.
enum class Hook : uint8_t {
  Instruction, ///< instruction
  Access,      ///< access
  Operation,   ///< issue, perform, waitedFor
  Order,       ///< signal, wait, pass, release, acquire, beginArrival, arrive, endArrival
  Finding,     ///< found
  Turn,        ///< refusal
  End,         ///< end
  Execution,   ///< execute, carryOut, deliver, isPlain: in place of the interpreter; at most one observer of a wave
};
inline constexpr size_t hookCount = 8;

/// A set of hooks.
class Hooks {
public:
  constexpr Hooks(std::initializer_list<Hook> hooks) {
    for (Hook hook : hooks) bits |= bit(hook);
  }
  constexpr bool has(Hook hook) const { return bits & bit(hook); }
  constexpr void add(Hooks other) { bits |= other.bits; }
  constexpr void remove(Hook hook) { bits &= static_cast<uint16_t>(~bit(hook)); }

private:
  static constexpr uint16_t bit(Hook hook) { return static_cast<uint16_t>(1u << static_cast<unsigned>(hook)); }
  uint16_t bits = 0;
};

class WaveObserver {
public:
  virtual ~WaveObserver() = default;

  /// A wave starts that this may observe: adds itself to the wave's set, or not.
  virtual void begin(Wave &, const WaveStart &) {}
  /// No further wave will start: hands over what was gathered. Called on the thread that ran the waves.
  virtual void finish(Program &) {}

  /// Before an instruction is executed.
  virtual void instruction(Wave &, const Inst &) {}
  /// At the issue of each memory access. A transfer between global memory and LDS is two events, so is a paired LDS access
  /// (read2, write2).
  virtual void access(Wave &, const Inst &, const MemoryEvent &) {}

  /// A memory operation is issued, after its accesses; it is performed; it was performed before, and now the wave has
  /// waited for it.
  virtual void issue(Wave &, const Pending &) {}
  virtual void perform(Wave &, const Pending &) {}
  virtual void waitedFor(Wave &, const Pending &) {}

  // What orders the waves of a workgroup. `barrier` is the number that instructions have for it.
  /// The wave signals a barrier that has completed `completed` times; it continues after its `completed`-th time.
  virtual void signal(Wave &, int /*barrier*/, uint64_t /*completed*/) {}
  virtual void pass(Wave &, int /*barrier*/, uint64_t /*completed*/) {}
  /// The wave has come to the wait for a barrier that it has passed for the `passed`-th completion last: it executes
  /// nothing before it passes.
  virtual void wait(Wave &, int /*barrier*/, uint64_t /*passed*/) {}
  /// The wave writes caches back: what it does to release memory beyond the workgroup.
  virtual void release(Wave &, Reach) {}
  /// The wave invalidates caches: what it does to acquire memory.
  virtual void acquire(Wave &, Reach) {}
  /// The wave issues an arrival at a barrier in LDS; `arrival` is its number in the workgroup until it is performed.
  virtual void beginArrival(Wave &, uint32_t /*arrival*/) {}
  /// One lane's arrival at the object at `offset` is performed; it may have turned the phase.
  virtual void arrive(Wave &, uint32_t /*arrival*/, uint32_t /*offset*/, bool /*turned*/) {}
  virtual void endArrival(Wave &, uint32_t /*arrival*/) {}

  /// What a check with CheckMode::Warn finds in the wave's current instruction, or a note. The wave continues.
  virtual void found(const Wave &, const Fault &) {}

  /// After a turn of the wave: why the launch cannot go on; empty: it can.
  virtual std::string refusal(const Wave &) { return {}; }
  /// The wave has ended.
  virtual void end(Wave &) {}

  // Hook::Execution: runs what may use a value that was never written. The wave's filters (Wave::unsetVector and
  // unsetScalar) tell which instructions may; the others are executed without it.
  virtual void execute(Wave &, const Inst &) {}
  /// An operation of the wave is to be performed, and delivered.
  virtual void carryOut(Wave &, Pending &) {}
  virtual void deliver(Wave &, Pending &) {}
  /// Whether the load can go straight from memory to registers: nothing of either may be unset.
  virtual bool isPlain(const Wave &, const Pending &) const { return true; }
};

/// The observers of one wave, by hook.
class WaveObservers {
public:
  /// Whether anybody wants to be told.
  bool want(Hook hook) const { return wanted.has(hook); }
  std::span<WaveObserver *const> of(Hook hook) const {
    const auto h = static_cast<size_t>(hook);
    return {all.data() + first[h], all.data() + first[h + 1]};
  }
  void add(WaveObserver &observer, Hooks hooks) {
    for (size_t h = 0; h < hookCount; ++h)
      if (hooks.has(static_cast<Hook>(h))) {
        all.insert(all.begin() + first[h + 1], &observer);
        for (size_t k = h + 1; k <= hookCount; ++k) ++first[k];
      }
    wanted.add(hooks);
    assert(of(Hook::Execution).size() <= 1);
  }
  /// Nobody is told of it any more.
  void remove(Hook hook) {
    const auto h = static_cast<size_t>(hook), count = size_t(first[h + 1] - first[h]);
    all.erase(all.begin() + first[h], all.begin() + first[h + 1]);
    for (size_t k = h + 1; k <= hookCount; ++k) first[k] = static_cast<uint16_t>(first[k] - count);
    wanted.remove(hook);
  }
  void clear() {
    all.clear();
    first = {};
    wanted = {};
  }

  /// Tells those who want it: `tell(Hook::Order, &WaveObserver::release, wave, reach)`.
  template <class... P> void tell(Hook hook, void (WaveObserver::*what)(P...),
                                  std::type_identity_t<P>... values) const {
    if (!want(hook)) [[likely]]
      return;
    for (WaveObserver *each : of(hook)) (each->*what)(values...);
  }
  void access(Wave &wave, const Inst &inst, const MemoryEvent &event) const {
    tell(Hook::Access, &WaveObserver::access, wave, inst, event);
  }
  void found(const Wave &wave, const Fault &finding) const { tell(Hook::Finding, &WaveObserver::found, wave, finding); }
  /// Of Hook::Execution; null: the interpreter alone executes.
  WaveObserver *executor() const {
    return want(Hook::Execution) ? all[first[static_cast<size_t>(Hook::Execution)]] : nullptr;
  }

private:
  Hooks wanted{};
  std::array<uint16_t, hookCount + 1> first{}; ///< in `all`: where each hook's observers begin
  std::vector<WaveObserver *> all;
};

} // namespace fly::emulator
