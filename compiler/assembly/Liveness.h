// Which registers hold a value that is still needed, between any two instructions.
//
// A unit is one 32-bit register: of a numbered file, or of a variable. Point 2i is where instruction i reads, 2i + 1
// where it writes. A unit is live at a point if a path from there reads it before it is overwritten, and a path to
// there has written it.
//
// An instruction writes a VGPR only in the lanes that EXEC has; what the other lanes hold stays. Such a write ends the
// life of the value before it in one of two cases: EXEC has all lanes, or whoever reads the register next does so under
// the same EXEC, each lane its own. Otherwise the other lanes are still needed, and the life goes on.
//
//     s_and_saveexec_b64 s[2:3], vcc
//     v_mov_b32_e32 v0, 1                 ends v0's life: only the next line reads it
//     v_add_f32_e32 v1, v0, v1            does not end v1's
//     s_mov_b64 exec, s[2:3]
//     v_add_f32_e32 v2, v1, v1            reads v1 in all lanes
//
// Code that no path leads to has no lives. If a jump through a register may lead to it, the numbered registers in it
// are live everywhere. Those that are written before such a jump are live until it.
#pragma once

#include "compiler/assembly/ExecMask.h"
#include "compiler/assembly/Program.h"
#include "compiler/dataflow/Units.h"

#include "llvm/ADT/BitVector.h"

namespace fly::assembly {

struct Access {
  uint32_t unit;
  bool writes;
  bool early = false;     ///< written before all sources are read
  bool partly = false;    ///< only half of it is written
  bool ofOwnLane = false; ///< a read in the lanes that EXEC has, each its own
};

class Liveness {
public:
  Liveness(const Program &program, llvm::ArrayRef<isa::Instruction> code, llvm::ArrayRef<uint32_t> itemOf,
           const Paths &paths);

  /// Those of numbered registers (compiler/dataflow/Units.h); those of variables follow.
  static constexpr unsigned fixedUnits = dataflow::unit::count;
  unsigned firstUnit(uint32_t variable) const { return firstUnits[variable]; }
  unsigned unitCount() const { return count; }
  isa::RegisterFile fileOf(unsigned unit) const;
  /// The variable of a unit; none for a numbered register.
  std::optional<uint32_t> variableOf(unsigned unit) const;

  struct Interval {
    uint32_t begin, end;
  }; ///< points, `end` excluded
  llvm::ArrayRef<Interval> intervals(unsigned unit) const { return lives[unit]; }
  bool overlap(unsigned a, unsigned b) const { return overlap(lives[a], lives[b]); }
  static bool overlap(llvm::ArrayRef<Interval> a, llvm::ArrayRef<Interval> b);
  llvm::ArrayRef<Access> accesses(uint32_t instruction) const { return uses[instruction]; }

  struct Use {
    uint32_t instruction, unit;
  };
  std::vector<Use> unwritten; ///< reads of a variable that no path has written
  std::vector<Use> unreached; ///< uses of a variable where no path leads to
  /// Live units of a file at each instruction, while it executes.
  std::vector<unsigned> pressure(isa::RegisterFile file) const;
  unsigned instructionCount() const { return static_cast<unsigned>(uses.size()); }

private:
  /// What is needed at a point, and of that, what is needed in other lanes than EXEC has there.
  struct Need {
    llvm::BitVector any, wide;
  };
  void findUses(llvm::ArrayRef<isa::Instruction> code, llvm::ArrayRef<uint32_t> itemOf);
  void addComputedJumps(llvm::ArrayRef<isa::Instruction> code, const Paths &paths);
  std::vector<llvm::BitVector> findWritten(const Paths &paths) const;
  std::vector<Need> findNeeded(llvm::ArrayRef<isa::Instruction> code, const Paths &paths, const ExecMask &exec);
  void findIntervals(uint32_t block, const Paths &paths, llvm::BitVector written, const llvm::BitVector &after);

  std::vector<llvm::BitVector> killsAt; ///< by instruction, by access: the write ends what was there before
  std::vector<unsigned> firstUnits;
  std::vector<uint32_t> variables; ///< of the units after the fixed ones
  unsigned count = 0;
  std::vector<llvm::SmallVector<Access, 6>> uses;
  std::vector<llvm::SmallVector<Interval, 2>> lives;
  const Program &program;
};

} // namespace fly::assembly
