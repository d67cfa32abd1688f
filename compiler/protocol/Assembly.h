// An instruction in the assembler's words, whose registers the backend chooses. The statement of LLVM IR:
//
//     asm "fly.asm v_fma_f32 $0, -$1, $2, 1.0 clamp", "=v,v,v"
//
// Its words alone are the text of `fly.exact`:
//
//     v_fma_f32 $0, -$1, $2, 1.0 clamp        `$0` and so on: the results, then the operands
//     v_fmac_f32 $0<$3, $1, $2                $0 is read, too: its former value is operand 3
//     m0=$1 ds_append $0                      M0 is operand 1
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace fly::protocol {

/// The statement with these words.
std::string assemblyStatement(llvm::StringRef words);

/// The words of such a statement; none for another.
std::optional<llvm::StringRef> assemblyWords(llvm::StringRef statement);

inline bool isAssembly(llvm::StringRef statement) { return assemblyWords(statement).has_value(); }

/// "$2"
std::string operandText(unsigned number);
/// "$0<$3"
std::string operandText(unsigned number, unsigned former);

/// An operand as it stands in the words.
struct AssemblyOperand {
  unsigned number = 0;
  std::optional<unsigned> former;
};
/// Takes an operand from the front of `words`. None, with `words` as they were, if there is none.
std::optional<AssemblyOperand> takeOperand(llvm::StringRef &words);

/// "m0=$1 ds_append $0"
std::string withM0(unsigned operand, llvm::StringRef words);

struct AssemblyParts {
  std::optional<unsigned> m0; ///< the operand that is in M0
  llvm::StringRef words;      ///< without it
};
AssemblyParts withoutM0(llvm::StringRef words);

} // namespace fly::protocol
