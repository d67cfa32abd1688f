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
// Two stores of equal values are a note. It needs memory of ten times what a launch touches, and one host thread.
#pragma once

#include "runtime/emulator/device/Checks.h"
#include "runtime/emulator/wave/Watcher.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fly::emulator {

class GlobalRaces {
public:
  explicit GlobalRaces(CheckMode mode) : mode(mode) {}

  /// Checks and remembers an access of a wave of the workgroup with that number, counted from 0 over the whole grid.
  void access(Wave &wave, const Inst &inst, const MemoryEvent &event, uint32_t group);
  /// The workgroup makes known what it has done, and learns of others, at something that is not memory.
  void publish(uint32_t group, uint64_t place);
  void learn(uint32_t group, uint64_t place);

private:
  /// What a word of memory was used for. Groups are numbered from 1, 0: none; `count` is the group's own at that time.
  struct Access {
    uint32_t group = 0, count = 0, instruction = 0;
    uint8_t bytes = 0;
    bool atomic = false, known = false;
  };
  struct Word {
    Access write, reads[2];
    uint32_t value = 0;
  };
  static constexpr unsigned wordsOfPage = 1024;
  struct Page {
    Word words[wordsOfPage];
  };
  using Published = std::vector<std::pair<uint32_t, uint32_t>>; ///< groups, and the counts up to which
  struct Group {
    uint32_t count = 1;
    bool knowsAll = false;        ///< it has learned at more places than are kept
    std::vector<uint64_t> places; ///< where it has learned
  };

  Group &groupOf(uint32_t group);
  Word &wordAt(uint64_t address);
  bool isOrdered(const Group &group, const Access &earlier) const;
  /// False if the wave has failed.
  bool touch(Wave &wave, const MemoryEvent &event, bool atomic, Group &group, uint32_t number, unsigned lane,
             uint64_t address, uint8_t bytes, const uint32_t *value);
  bool report(Wave &wave, const MemoryEvent &event, unsigned lane, uint64_t address, const Access &earlier, bool wrote,
              bool equal);

  CheckMode mode;
  std::vector<Group> groups;
  std::unordered_map<uint64_t, Published> published;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  uint64_t lastNumber = ~0ull;
  Page *lastPage = nullptr;
  std::vector<uint32_t> found; ///< instructions that the current access was found to race with
};

} // namespace fly::emulator
