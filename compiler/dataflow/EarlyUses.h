// Uses of registers while the operation that fills them may be outstanding: the missing waits. `flyc report` counts
// them, `flyc verify` makes errors of them, and both take them from here.
//
//     InFlightFlow flow(code, controlFlow, target, Follow::Results);
//     EarlyUses(flow).walk([&](uint32_t instruction, llvm::ArrayRef<EarlyUse> uses, const InFlight &before) { ... });
//
//     global_load_dword v1, v0, s[2:3]
//     v_add_f32 v2, v1, v1            reads v1
//     v_mov_b32 v1, 0                 overwrites v1, and the load overwrites that
//     global_load_dword v1, v0, ...   no conflict: these return in order
//
// A later operation that returns in the order of the earlier one may overwrite its register: LDS after LDS, and up to
// gfx11 vector memory after vector memory. gfx12 does not write the results of vector memory in order.
//
// Registers that a memory operation reads: the hardware has read them before it issues the next instruction, or waits
// by itself, because expcnt counts exports alone on all machines that flyc compiles for (CDNA3 ISA 4.4, RDNA4 ISA 5.6).
// gfx1250 may read them again (`overwrittenSource`).
//
// FLAT is complete when both of its counters have been waited for. If one has, or if its order in the unit that it may
// go to would be enough, the use is not `certain` to be early: a compiler may know where the address is.
#pragma once

#include "compiler/dataflow/InFlight.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace fly::dataflow {

/// The registers of a use that an operation fills.
struct Conflict {
  isa::Operand operand; ///< of the instruction
  isa::Operand shared;  ///< what of it the operation fills, too
  bool reads = false;   ///< else it overwrites them
};

struct EarlyUse {
  uint32_t instruction = 0, operation = 0;
  Conflict conflict; ///< a read is named first
  bool certain = true;
  struct Wait {
    isa::Counter counter;
    uint8_t count;
  };
  llvm::SmallVector<Wait, 2> waits; ///< for each counter the largest count that covers the operation
};

class EarlyUses {
public:
  /// The flow stays the caller's.
  explicit EarlyUses(const InFlightFlow &flow);

  using Visit = llvm::function_ref<void(uint32_t instruction, llvm::ArrayRef<EarlyUse> uses, const InFlight &before)>;
  /// All instructions that a path leads to, in order. An operation whose registers a block uses several times is named
  /// once there, and then no longer in `before`.
  void walk(Visit visit) const;

  /// Whether the instruction may only run after the operation has filled its registers.
  std::optional<Conflict> conflict(uint32_t instruction, const Outstanding &operation) const;
  /// Whether no counter of the operation has been waited for, at the most favourable order of FLAT.
  bool isUncovered(const InFlight &state, uint32_t operation) const;
  /// gfx1250: a register of the operation that was issued last, and whose addresses may be translated anew. Other memory
  /// operations may overwrite it, since they are translated later. LLVM 22 waits for no earlier operation's
  /// translation.
  std::optional<Conflict> overwrittenSource(uint32_t instruction, const Outstanding &translation) const;
  /// The blocks on a shortest way from the operation to the instruction along which it, or its translation, stays
  /// outstanding; without the operation's own block, and empty within a block.
  std::vector<uint32_t> path(uint32_t operation, uint32_t instruction, bool translation = false) const;

private:
  const InFlightFlow &flow;
  std::vector<uint64_t> filters;                     ///< by instruction: disjoint ones have no register in common
  mutable std::vector<std::optional<InFlight>> ends; ///< by block, where a path has asked for it
  void findAt(InFlight &state, uint32_t instruction, llvm::SmallVectorImpl<EarlyUse> &uses) const;
  bool returnsInOrder(uint32_t newer, const Outstanding &older) const;
  bool mayMeet(uint32_t a, uint32_t b) const { return filters[a] & filters[b]; }
  const InFlight &endOf(uint32_t block) const;
};

} // namespace fly::dataflow
