// A code object as text: what `flyc build --emit=isa` prints.
//
//     vec_add:                                        ; 212 bytes
//             ; vec_add.fly:12
//             s_load_dwordx4 s[4:7], s[0:1], 0x0      ; 1700
//     .L1:                                            ; branched to
#pragma once

#include "compiler/isa/CodeObject.h"

#include <functional>
#include <string>

namespace fly::isa {

struct DisassemblyOptions {
  bool addresses = true; ///< a comment with the address after each instruction
  bool locations = true; ///< `; file:line` where the source line changes
  /// Called for each new location; its text, if not empty, follows the `; file:line` as a comment: the source line.
  std::function<std::string(llvm::StringRef file, unsigned line)> source;
};

/// All kernels, in order of address. Returns the decoder's error if there is one.
llvm::Expected<std::string> disassemble(const CodeObject &object, const DisassemblyOptions &options = {});
llvm::Expected<std::string> disassemble(llvm::StringRef codeObject, const DisassemblyOptions &options = {});

} // namespace fly::isa
