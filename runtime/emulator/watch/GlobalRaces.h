// Races on global memory between workgroups: two of them touch the same byte in one launch, one of them writes, and
// nothing orders the two accesses. RaceCheck.h is about the waves of one workgroup and LDS.
//
// A workgroup counts as one thread here. Ordered are accesses that a chain of atomics connects: a workgroup publishes
// what it has done with each atomic operation, and each store with a scope beyond the workgroup (sc1 of gfx9, SCOPE_DEV
// of gfx12); another one knows of it after an atomic that returns something, or a load with such a scope, of the same
// address. The cluster barrier of gfx1250 does both. Machine code does not say more: fences leave waits, and on some
// targets nothing. So a relaxed atomic counts as release and acquire, and a missing fence is not found.
//
// What a workgroup has learned is looked up when it is needed, and not when it was read. The check sees operations when
// they are issued, and memory performs them later, in another order: it may learn too much that way, never too little.
// So there is no false report, and a race may be missed: of words that several workgroups read, the last two readers
// are known, and of the words with bytes of several writers, the last writer. Scalar loads are not seen. Atomics race
// with plain writes only: whether a plain read of a counter is a mistake, machine code does not say.
//
// Two stores of equal values are a note. It needs one host thread. Of each page of memory the check keeps runs of bytes
// with the same history, since the lanes of a wave usually touch consecutive bytes, and what was stored there: as much
// memory as the launch writes. A page with many runs, or where a race is possible, is kept by words: 13 times as much.
#pragma once

#include "runtime/emulator/device/Checks.h"
#include "runtime/emulator/wave/Watcher.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fly::emulator {

class GlobalRaces {
public:
  /// `numberInGrid`: of a workgroup, for messages; the number itself if there is no function.
  explicit GlobalRaces(CheckMode mode, std::function<uint64_t(uint32_t group)> numberInGrid = {})
      : mode(mode), numberInGrid(std::move(numberInGrid)) {}
  ~GlobalRaces();
  GlobalRaces(const GlobalRaces &) = delete;

  /// Checks and remembers an access of a wave of the workgroup with that number, counted from 0 over those that are executed.
  void access(Wave &wave, const Inst &inst, const MemoryEvent &event, uint32_t group);
  /// The workgroup makes known what it has done, and learns of others, at something that is not memory.
  void publish(uint32_t group, uint64_t place);
  void learn(uint32_t group, uint64_t place);

private:
  /// What a byte of memory was used for. Groups are numbered from 1, 0: none; `count` is the group's own at that time.
  struct Access {
    uint32_t group = 0, count = 0, instruction = 0;
    uint8_t bytes = 0; ///< of a word, a bit each
    bool atomic = false, known = false;
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
  static constexpr unsigned pageBytes = 4096, mostRuns = 32, mostBytes = 16 /* of a lane, in one piece */;
  struct Page {
    std::vector<Run> runs;      ///< in order, not empty, without overlaps
    std::vector<History> words; ///< of each word, instead of runs
    uint8_t *stored = nullptr;  ///< what was stored, by byte; null: nothing yet
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
  using Published = std::vector<std::pair<uint32_t, uint32_t>>; ///< groups, and the counts up to which
  struct Group {
    uint32_t count = 1;
    bool knowsAll = false;        ///< it has learned at more places than are kept
    std::vector<uint64_t> places; ///< where it has learned
  };

  Group &groupOf(uint32_t group);
  Page &pageOf(uint64_t address);
  uint8_t *storedAt(Page &page, uint64_t address);
  bool isOrdered(const Group &group, const Access &earlier) const;
  bool isUnordered(const Group &group, uint32_t number, const Access &earlier) const {
    return earlier.group && earlier.group != number && !isOrdered(group, earlier);
  }
  bool mayRace(const Group &group, uint32_t number, const Page &page, bool atomic, bool writes, uint32_t begin,
               uint32_t end) const;
  // False if the wave has failed.
  bool touchPage(Wave &wave, const MemoryEvent &event, bool atomic, Group &group, uint32_t number, const Piece &piece);
  bool touchWords(Wave &wave, const MemoryEvent &event, bool atomic, Group &group, uint32_t number, unsigned lane);
  bool touch(Wave &wave, const MemoryEvent &event, bool atomic, Group &group, uint32_t number, unsigned lane,
             uint64_t address, uint8_t bytes, const uint32_t *value);
  bool report(Wave &wave, const MemoryEvent &event, unsigned lane, uint64_t address, const Access &earlier, bool wrote,
              bool equal);

  CheckMode mode;
  std::function<uint64_t(uint32_t)> numberInGrid;
  std::vector<Group> groups;
  std::unordered_map<uint64_t, Published> published;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  std::vector<std::unique_ptr<uint8_t[]>> stores; ///< what the pages' `stored` are parts of
  size_t storesUsed = 0;                          ///< bytes of the last one
  uint64_t lastNumber = ~0ull;
  Page *lastPage = nullptr;
  std::vector<uint32_t> found; ///< instructions that the current access was found to race with
};

} // namespace fly::emulator
