// LDS bank conflicts: how many cycles one LDS access of a wave takes, and how many it would take without conflicts.
//
// LDS consists of banks, each a column of dwords: the bank is the dword address modulo the number of banks. A wave's
// lanes access it in phases. Within a phase, each bank serves one dword per cycle, however many lanes read that dword.
// A phase takes as many cycles as the busiest bank has different dwords; the cycles beyond one per phase are conflicts.
//
//     32 banks, ds_read_b32, lane l reads byte 4*l      2 phases of 32 lanes: 2 cycles, no conflict
//                            lane l reads byte 8*l      16 banks with 2 dwords each: 4 cycles, 2 of them conflicts
//                            lane l reads byte 128*l    bank 0 has all: 64 cycles, 62 of them conflicts
//
// Which lanes form a phase differs with architecture, direction and width, and is documented for few cases: see the
// table in LdsBanks.cpp, where each row names its source.
#pragma once

#include <cstdint>
#include <string_view>

namespace fly::target {

/// How one kind of access is split.
struct LdsRule {
  unsigned banks;
  unsigned phaseCount; ///< for a wave of `lanes`
  uint64_t phases[64]; ///< masks of lanes
  bool measured;       ///< from counters of the hardware or its maker's document, not by the general rule
};

struct LdsCost {
  unsigned cycles = 0;
  unsigned ideal = 0; ///< phases with an active lane: the cycles without conflicts
  unsigned conflicts() const { return cycles - ideal; }
};

/// `bytes` per lane: 1 to 16. Writing and atomic accesses are `write`.
LdsRule ldsRule(std::string_view arch, unsigned waveSize, unsigned bytes, bool write);
/// Cost of one access: `addresses` in bytes for the lanes of `active`. Atomic operations of one phase on one dword
/// follow one another, so each counts (a counter of the hardware, SQ_LDS_ADDR_CONFLICT, counts just these stalls).
/// More than 16 bytes are a row of the tensor mover, which has all banks for each row: there are no conflicts.
LdsCost ldsCost(const LdsRule &rule, uint64_t active, const uint64_t *addresses, unsigned bytes, bool atomic);

} // namespace fly::target
