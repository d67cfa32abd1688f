// Which registers hold a value that is still needed, between any two instructions.
//
// A unit is one 32-bit register: of a numbered file, or of a variable. Point 2i is where instruction i reads, 2i + 1
// where it writes. A unit is live at a point if a path from there reads it before it is overwritten, and a path to
// there has written it.
//
// An instruction writes a VGPR only in the lanes that EXEC has. Where EXEC may have been changed since the start, what
// the other lanes hold stays, so such a write does not end the life of the value before it. The life of a variable that
// is written under several masks reaches from the first write to the last read.
#pragma once

#include "compiler/assembly/Program.h"

#include "llvm/ADT/BitVector.h"

namespace fly::assembly {

struct Access {
  uint32_t unit;
  bool writes;
  bool early = false;  ///< written before all sources are read
  bool partly = false; ///< only half of it is written
};

class Liveness {
public:
  Liveness(const Program &program, llvm::ArrayRef<isa::Instruction> code, llvm::ArrayRef<uint32_t> itemOf);

  static constexpr unsigned sgprs = 128, vgprs = 1024, agprs = 256, fixedUnits = sgprs + vgprs + agprs;
  static unsigned fixedUnit(isa::RegisterFile file, unsigned index) {
    return file == isa::RegisterFile::SGPR   ? index
           : file == isa::RegisterFile::VGPR ? sgprs + index
                                             : sgprs + vgprs + index;
  }
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

  /// Reads of a variable that no path has written: the instruction and the unit.
  struct Unwritten {
    uint32_t instruction, unit;
  };
  std::vector<Unwritten> unwritten;
  /// Live units of a file at each instruction, while it executes.
  std::vector<unsigned> pressure(isa::RegisterFile file) const;
  unsigned instructionCount() const { return static_cast<unsigned>(uses.size()); }

private:
  std::vector<unsigned> firstUnits;
  std::vector<uint32_t> variables; ///< of the units behind the fixed ones
  unsigned count = 0;
  std::vector<llvm::SmallVector<Access, 6>> uses;
  std::vector<llvm::SmallVector<Interval, 2>> lives;
  const Program &program;
};

} // namespace fly::assembly
