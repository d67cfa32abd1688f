// One kernel or device function of a code object, decoded: what every analysis of a report works on.
//
//     auto decoded = readCode(object, only);                  // Expected<vector<Code>>: kernels, then functions
//     for (const Code &code : *decoded) count(code, code.whole());
//
// A code object with calls has functions besides its kernels; they are code symbols that no descriptor points to.
#pragma once

#include "compiler/isa/CodeObject.h"
#include "compiler/isa/ControlFlow.h"
#include "compiler/isa/LaneSpills.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace fly::report {

struct Code {
  std::string name;
  const isa::Kernel *kernel = nullptr; ///< null: a device function
  uint64_t address = 0, size = 0;
  std::vector<isa::Instruction> instructions;
  std::vector<std::string> texts; ///< LLVM's assembly, one an instruction
  isa::ControlFlow flow;
  std::vector<bool> spillMoves;     ///< of scalar registers, to and from lanes (isa/LaneSpills.h); one per instruction
  bool separateWorkitemIds = false; ///< see target::Target
  uint32_t calls = 0;               ///< s_swappc, s_call
  uint32_t indirectJumps = 0;       ///< an s_setpc that is not a return: its target is not known

  Code(std::string name, std::vector<isa::Instruction> list)
      : name(std::move(name)), instructions(std::move(list)), flow(instructions),
        spillMoves(isa::movesOfLaneSpills(instructions)) {}
  /// The numbers of all instructions, or of those of some blocks.
  std::vector<uint32_t> whole() const;
  std::vector<uint32_t> of(llvm::ArrayRef<uint32_t> blocks) const;
  /// The number of the instruction at an address; ~0 if there is none.
  uint32_t at(uint64_t address) const;
  bool isCall(uint32_t instruction) const;
  bool isReturn(uint32_t instruction) const; ///< of a function: s_setpc
};

/// Decodes all kernels (or the one named `only`, if it is not empty) in order of address, then the device functions. An
/// error names what cannot be decoded.
llvm::Expected<std::vector<Code>> readCode(const isa::CodeObject &object, llvm::StringRef only = "");

} // namespace fly::report
