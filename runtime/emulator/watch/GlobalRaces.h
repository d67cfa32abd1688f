// Races on global memory: two workgroups, or two waves of one, touch the same byte in one launch, one of them writes, and
// nothing orders the two accesses. RaceCheck.h is about LDS, and knows what orders the waves of a workgroup (GroupOrder).
//
// Ordered are accesses that releases and acquires of a scope connect: ScopedOrder.h. The workgroups may be those of
// several devices whose kernels run at once; they need scope system where those of one device need scope agent.
//
// The check sees data when operations are issued, and flags when memory performs them: a load of a flag acquires what the
// store has released whose value it finds. A failing compare-and-swap counts as a store. There is no false report, and a
// race may be missed: of words that several workgroups read, the last two readers are known, and of the words with bytes
// of several writers, the last writer. Scalar loads are not seen. Atomics, and accesses that name a scope, race with
// plain writes only: whether a plain read of a counter is a mistake, machine code does not say.
//
// Two stores of equal values are a note. It needs one host thread. Of each page of memory the check keeps runs of bytes
// with the same history, since the lanes of a wave usually touch consecutive bytes, and what was stored there: as much
// memory as the launch writes. A page with many runs, or where a race is possible, is kept by words: 13 times as much.
#pragma once

#include "runtime/emulator/device/Checks.h"
#include "runtime/emulator/watch/ScopedOrder.h"
#include "runtime/emulator/wave/Observer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fly::emulator {

/// What the waves of a workgroup know of each other.
class GroupOrder {
public:
  virtual ~GroupOrder() = default;
  /// A wave's own count of what it has released. An access has that of its time.
  virtual uint32_t turnOf(unsigned wave) const = 0;
  /// An access to global memory by another wave, and one now. `reach`: the scope that the one now names.
  struct Earlier {
    unsigned wave;
    uint32_t turn, instruction;
    bool wrote;
  };
  enum class Relation : uint8_t { Ordered, NoBarrier, NotWaited, NotInvalidated };
  virtual Relation relation(unsigned wave, const Earlier &earlier, Reach reach, bool writes) const = 0;
  /// A flag in global memory: what the wave knows when it is issued, and its store and its load, when they are performed.
  virtual std::vector<uint32_t> release(unsigned wave) = 0;
  virtual void publish(uint64_t place, const std::vector<uint32_t> &known, bool adds) = 0;
  virtual void learn(unsigned wave, uint64_t place) = 0;
};

class GlobalRaces {
public:
  /// `nameOf`: what messages call a workgroup; its number if there is no function.
  GlobalRaces(CheckMode mode, ScopedOrder order, std::function<std::string(uint32_t group)> nameOf = {})
      : mode(mode), order(std::move(order)), nameOf(std::move(nameOf)) {}
  ~GlobalRaces();
  GlobalRaces(const GlobalRaces &) = delete;

  /// Checks and remembers an access of a wave of the workgroup with that number, counted from 0 over those that are
  /// executed. `waves`: null if it has one.
  void access(Wave &wave, const Inst &inst, const MemoryEvent &event, uint32_t group, GroupOrder *waves);
  /// A load, store or atomic of the wave is issued, after its accesses, and is performed.
  void issue(const Wave &wave, const Pending &operation, uint32_t group, bool stores);
  void perform(const Wave &wave, const Pending &operation, uint32_t group, GroupOrder *waves);
  /// Whether the instruction whose accesses came last has flags, which `issue` is to be told of.
  bool hasFlags() const { return !current.addresses.empty() || !current.overwritten.empty(); }
  /// Up to which count the wave of the workgroup has waited for its stores.
  uint32_t settled(unsigned wave, uint32_t group) const;
  ScopedOrder &scopes() { return order; }

private:
  /// What a byte of memory was used for. Groups are numbered from 1, 0: none; `count` is the group's own at that time.
  struct Access {
    uint32_t group = 0, count = 0, instruction = 0, turn = 0; ///< turn: the wave's own
    uint16_t wave = 0;
    uint8_t bytes : 4 = 0; ///< of a word, a bit each
    bool atomic : 1 = false, known : 1 = false;
    Reach through : 2 = Reach::Group; ///< the scope that it named
    bool isSameAs(const Access &other) const { return group == other.group && wave == other.wave; }
    bool operator==(const Access &) const = default;
  };
  struct History {
    Access write, reads[2];
    bool operator==(const History &) const = default;
    void add(const Access &access, bool isWrite);
  };
  struct Run : History {
    uint32_t begin = 0, end = 0; ///< bytes of the page
  };
  static constexpr unsigned pageBytes = 4096, mostRuns = 32, mostPageRuns = 128,
                            mostBytes = 16 /* of a lane, in one piece */;
  struct Page {
    std::vector<Run> runs;       ///< in order, not empty, without overlaps
    std::vector<History> words;  ///< of each word, instead of runs
    uint8_t *stored = nullptr;   ///< what was stored, by byte; null: nothing yet
    std::vector<uint64_t> flags; ///< of each word a bit: a flag was stored there; empty: none
    void add(uint32_t begin, uint32_t end, const Access &access, bool isWrite);
    void keepWords();
  };
  struct Words;
  /// Bytes of a page, and the lanes that access them.
  struct Piece {
    uint64_t page, lanes;
    unsigned count = 0;                                ///< of runs
    std::pair<uint32_t, uint32_t> runs[mostRuns] = {}; ///< of bytes
    bool isWhole = true;                               ///< all of them have place
  };
  /// An access, as it is held against earlier ones.
  struct Current {
    uint32_t number; ///< of the group, from 1
    bool atomic, writes;
    Reach reach;
    uint16_t wave;
    uint32_t turn;
    const GroupOrder *waves;
  };
  struct UnderWay {
    const Pending *operation;
    unsigned wave;
    uint32_t count;
  };
  /// What an instruction does to flags once it is performed.
  struct Flags {
    const Pending *operation = nullptr;
    uint32_t instruction = 0;
    Reach reach = Reach::Group;
    bool reads = false, writes = false;
    ScopedOrder::State released;                  ///< what it stores publishes
    std::vector<uint32_t> known;                  ///< the same within the workgroup
    std::vector<uint64_t> addresses, overwritten; ///< overwritten: flags that it stores other data to
  };

  Page &pageOf(uint64_t address);
  uint8_t *storedAt(Page &page, uint64_t address);
  bool isUnordered(const Current &now, const Access &earlier, bool wrote);
  GroupOrder::Relation relation(const Current &now, const Access &earlier, bool wrote);
  Access accessOf(const Wave &wave, const Current &now, uint8_t bytes, bool known);
  bool mayRace(const Current &now, const Page &page, uint32_t begin, uint32_t end);
  // False if the wave has failed.
  bool touchPage(Wave &wave, const MemoryEvent &event, const Current &now, const Piece &piece);
  bool touchWords(Wave &wave, const MemoryEvent &event, const Current &now, unsigned lane);
  bool touch(Wave &wave, const MemoryEvent &event, const Current &now, unsigned lane, uint64_t address, uint8_t bytes,
             const uint32_t *value);
  void overwrite(const Wave &wave, uint64_t begin, uint64_t end);
  bool report(Wave &wave, const MemoryEvent &event, const Current &now, unsigned lane, uint64_t address,
              const Access &earlier, bool wrote, bool equal);

  CheckMode mode;
  ScopedOrder order;
  std::function<std::string(uint32_t)> nameOf;
  std::vector<std::vector<UnderWay>> underWay; ///< by group: its stores, in order of issue
  std::vector<std::vector<Flags>> flags;       ///< by group: issued, not performed
  Flags current;                               ///< of the instruction that is being issued
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  std::vector<std::unique_ptr<uint8_t[]>> stores; ///< what the pages' `stored` are parts of
  size_t storesUsed = 0;                          ///< bytes of the last one
  uint64_t lastNumber = ~0ull;
  Page *lastPage = nullptr;
  std::vector<uint32_t> found; ///< instructions that the current access was found to race with
};

} // namespace fly::emulator
