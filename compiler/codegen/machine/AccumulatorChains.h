// Private: the accumulators of a kernel's matrix instructions as chains, and a place for each.
//
// A matrix instruction computes D = A * B + C. A chain is the virtual registers through which one accumulator goes: D
// of an instruction is C of the next, and a loop carries it around by copies. All of a chain is to be one tuple of
// AGPRs.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineLoopInfo.h"

#include <vector>

namespace llvm {
class TargetInstrInfo;
class TargetRegisterInfo;
} // namespace llvm

namespace fly::codegen {

/// MFMA and SMFMAC, by LLVM's name of the opcode: its numbers are in headers that LLVM does not install.
bool isMatrixProduct(const llvm::MachineInstr &instruction, const llvm::TargetInstrInfo &instructions);
/// Operand C: the one that is tied to D, or the fourth.
unsigned accumulatorOperand(const llvm::MachineInstr &product);

/// AGPR tuples and 32-bit subregisters, which LLVM has only by name.
class AgprTuples {
public:
  explicit AgprTuples(const llvm::TargetRegisterInfo &registers);
  /// a[first : first + count - 1]; no register where LLVM has no such tuple.
  llvm::MCRegister tuple(unsigned first, unsigned count) const;
  /// The lanes of register `i` of a tuple.
  llvm::LaneBitmask lanesOf(unsigned i) const { return lanes[i]; }
  /// Where a subregister begins, in registers; -1 where it is not whole registers.
  int offsetOf(unsigned subregister) const;

private:
  const llvm::TargetRegisterInfo &registers;
  llvm::StringMap<llvm::MCRegister> byName;
  llvm::SmallVector<llvm::LaneBitmask, 32> lanes;
};

struct Chain {
  struct Member {
    llvm::Register reg;
    unsigned offset; ///< from the chain's first register
  };
  llvm::SmallVector<Member> members;
  llvm::SmallVector<llvm::MachineInstr *> products; ///< whose D it is
  unsigned size = 0;                                ///< registers
  unsigned first = 0;                               ///< the AGPR where it is placed
  bool placed = false;                              ///< false: LLVM allocates it, in VGPRs
};

class AccumulatorChains {
public:
  AccumulatorChains(llvm::MachineFunction &function, const llvm::LiveIntervals &intervals,
                    const llvm::MachineLoopInfo &loops, const AgprTuples &tuples);

  std::vector<Chain> chains;
  /// The chain of a virtual register, and the register's offset in it; null if it is not an accumulator.
  const Chain *find(llvm::Register reg, unsigned *offset = nullptr) const;

  /// Gives each chain that is to be placed its AGPRs. Returns how many it would take: more than there are if it failed.
  unsigned place(unsigned agprs);

  /// A placed chain that is copied to or from another one in the innermost loop that computes it; null if there is
  /// none.
  const Chain *findMoved() const;

private:
  using Segments = std::vector<std::pair<llvm::SlotIndex, llvm::SlotIndex>>;

  void add(llvm::Register reg);
  void addCopied();
  bool unite(llvm::Register a, unsigned aOffset, llvm::Register b, unsigned bOffset);
  unsigned registersOf(llvm::Register reg) const;
  Segments lifeOf(llvm::Register reg, unsigned lane) const;
  void uniteProducts();
  void uniteCopies();
  void collect();
  void choose();
  bool isCarried(const Chain &chain) const;
  bool isComputedOtherwise(const Chain &chain) const;
  unsigned placeShared(llvm::ArrayRef<Chain *> order);

  llvm::MachineFunction &function;
  const llvm::LiveIntervals &intervals;
  const llvm::MachineLoopInfo &loops;
  const AgprTuples &tuples;
  const llvm::TargetInstrInfo &instructions;
  const llvm::TargetRegisterInfo &registers;
  llvm::SmallVector<llvm::MachineInstr *> products, copies;

  /// Registers known to be one so far: `offset` of each from the first one, and when each of their lanes is alive.
  struct Class {
    llvm::SmallVector<std::pair<llvm::Register, int>> members;
    llvm::SmallMapVector<int, Segments, 4> life;
  };
  std::vector<Class> classes;
  llvm::MapVector<llvm::Register, std::pair<unsigned, int>> classOf; ///< its class and offset
  std::vector<std::pair<llvm::Register, llvm::Register>> sameFile;   ///< both in VGPRs, or both in AGPRs
  llvm::DenseMap<llvm::Register, std::pair<unsigned, unsigned>> chainOf;
};

} // namespace fly::codegen
