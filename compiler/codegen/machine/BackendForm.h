// Private: the instruction of LLVM's backend that is emitted as an encoded one. LLVM's tables have each instruction
// twice: as it is encoded on a target, which is what the assembler makes, and as the backend works with it.
//
//     encoded   V_ADD_F64_e64_gfx12         FLAT_LOAD_SHORT_D16_vi    d, addr, offset, cpol, former d
//     backend   V_ADD_F64_pseudo_e64        FLAT_LOAD_SHORT_D16       d, addr, offset, cpol, former d (tied to d)
//
// Names do not tell which belong together, but the function that LLVM emits code with does; here it is turned around.
// An operand that is read and written stands where the assembler put it in the one, and where the table wants it in the
// other.
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace llvm {
class MCInst;
class MCInstrDesc;
class MCInstrInfo;
} // namespace llvm

namespace fly::codegen {

struct BackendForm {
  const llvm::MCInstrDesc *description = nullptr;
  /// For each operand of the description, the number of the matched instruction's operand that it is. The former value
  /// of a result has the number of the result.
  llvm::SmallVector<unsigned> sources;
};

/// None if no instruction of the backend has these operands. Where the backend has none at all, as of DPP8, it is the
/// encoded one itself.
std::optional<BackendForm> backendFormOf(const llvm::MCInstrInfo &instructions, const llvm::MCInst &matched);

} // namespace fly::codegen
