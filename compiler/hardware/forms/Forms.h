// The ways of writing an instruction that are run on a GPU and on the emulator, to compare what they leave.
//
// OpcodeList.h has an example of each: encodings, addressing modes, with and without a result. Here its operands get
// registers of their own, so that each can hold another value. Examples that differ in their registers' numbers alone
// are one form.
#pragma once

#include "compiler/isa/Instruction.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace fly::hardware {

struct Form {
  std::string text; ///< for the assembler: "v_add_f32_e32 v8, v12, v16"
  isa::Instruction decoded;
  isa::Class cls = isa::Class::Unknown;
  unsigned waveSize = 64;
  std::string leftOut; ///< why it does not run; empty: it does

  /// Its name in reports and messages, which no other form of the architecture has: the text, and the wave size where
  /// the architecture has two.
  std::string title;
};

/// The halves of a dual instruction, else the instruction itself.
inline llvm::ArrayRef<isa::Instruction> partsOf(const isa::Instruction &instruction) {
  return instruction.components.empty() ? llvm::ArrayRef(instruction) : llvm::ArrayRef(instruction.components);
}

/// Registers that programs of forms need themselves begin here.
constexpr unsigned firstOwnVgpr = 240, firstOwnSgpr = 80;

/// All forms of the architecture: arithmetic first, then LDS, then memory. Takes some seconds.
llvm::Expected<std::vector<Form>> formsOf(llvm::StringRef architecture);

} // namespace fly::hardware
