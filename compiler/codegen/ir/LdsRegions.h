// Private: which parts of LDS accesses concern, for what compares accesses with copies in flight (TrustedWaits.h).
//
//     memory = shared(u8, 2 * length)       two stages in one object
//
//     copy to    memory + wave * 1024                      bytes [0, length)           region 0
//     read of    memory + lane part + length + 4096        bytes [length, 2 length)    region 1
//
// Addresses are followed through additions of offsets, whose ranges are known from what they are computed of: lanes,
// masks, products. A region is what copies fill together, between two waits: the backend tells few regions apart. An
// access is of all regions whose bytes it may concern; one of unknown bytes is of all regions of its object.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace llvm {
class Instruction;
}

namespace fly::codegen {

inline constexpr unsigned ldsSpace = 3; ///< LLVM's number of the address space

struct LdsAccess {
  llvm::Instruction *instruction;
  bool isCopy;        ///< from memory: all lanes of the wave, one after the other
  unsigned phase = 0; ///< of copies: the same for those without a wait in between
};

/// For each access the numbers of its regions, which count through all objects. Empty: anywhere in LDS.
std::vector<std::vector<unsigned>> regionsOf(llvm::ArrayRef<LdsAccess> accesses, unsigned waveSize);

} // namespace fly::codegen
