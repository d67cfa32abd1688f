// The number of instructions of each kind in a part of the code: a kernel, a loop.
//
// Classes are those of compiler/isa/InstructionClasses.h, by the names that `@expect` takes too. In addition: memory
// accesses by direction and width, waits by counter and value, moves between register files, and every mnemonic.
#pragma once

#include "compiler/report/Code.h"
#include "compiler/report/MatrixInstruction.h"

#include <map>

namespace fly::report {

/// "b128" sorts by its bits, then by name: "2xb32" is two accesses of an instruction.
struct AccessWidth {
  unsigned bits = 0;
  std::string name;
  auto operator<=>(const AccessWidth &) const = default;
};

struct Counts {
  uint64_t bytes = 0;
  std::vector<uint32_t> classes; ///< in the order of isa::instructionClasses()
  uint32_t dual = 0;             ///< VOPD pairs, each one instruction of the classes
  uint32_t nopStates = 0;        ///< wait states of all s_nop
  /// "lds", "vmem", "smem"; then "read", "write", "atomic", "to_lds", "from_lds", "permute", "other".
  std::map<std::string, std::map<std::string, std::map<AccessWidth, uint32_t>>> accesses;
  std::map<isa::Counter, std::map<unsigned, uint32_t>> waits; ///< by the number that may remain
  std::map<std::string, uint32_t> moves;                      ///< "vgpr_to_sgpr", ..., "spills"
  std::map<std::string, uint32_t> mnemonics;                  ///< the target's own
  std::map<MatrixInstruction, uint32_t> matrix;
};

Counts count(const Code &code, llvm::ArrayRef<uint32_t> instructions);

/// What one pass of a wave through this part moves and computes if each instruction is executed once by all lanes.
/// Vector memory and LDS: the bytes of all lanes; scalar memory: those of the wave. A move between memory and LDS is in
/// both.
struct Work {
  uint64_t matrixFlop = 0;
  struct Bytes {
    uint64_t read = 0, written = 0, atomic = 0;
  } vmem, lds, smem;
  uint32_t unknown = 0; ///< accesses whose size is not in the instruction: tensor moves, images
};
Work workOf(const Counts &counts, unsigned waveSize);

/// What the name of a memory instruction tells about one lane's access (for scalar memory, the wave's access).
AccessWidth accessWidth(llvm::StringRef op);

} // namespace fly::report
