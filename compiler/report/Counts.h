// The number of instructions of each kind in a part of the code: a kernel, a loop.
//
// Classes are those of compiler/isa/InstructionClasses.h, by the names that `@expect` takes too. In addition: memory
// accesses by direction and width, waits by counter and value, moves between register files, and every mnemonic.
#pragma once

#include "compiler/report/Code.h"

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
  std::vector<uint32_t> classes;             ///< in the order of isa::instructionClasses()
  uint32_t dual = 0;                         ///< VOPD pairs, each one instruction of the classes
  /// "lds", "vmem", "smem"; then "read", "write", "atomic", "to_lds", "from_lds", "permute", "other".
  std::map<std::string, std::map<std::string, std::map<AccessWidth, uint32_t>>> accesses;
  std::map<isa::Counter, std::map<unsigned, uint32_t>> waits; ///< by the number that may remain
  std::map<std::string, uint32_t> moves;     ///< "vgpr_to_sgpr", ...
  std::map<std::string, uint32_t> mnemonics; ///< the target's own
};

Counts count(const Code &code, llvm::ArrayRef<uint32_t> instructions);

/// What the name of a memory instruction tells about one lane's access (for scalar memory, the wave's access).
AccessWidth accessWidth(llvm::StringRef op);

} // namespace fly::report
