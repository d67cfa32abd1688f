// What the operands of an instruction are, before any register is chosen: which of them it writes, how wide they are,
// which kinds it takes at a place. LLVM's tables of it are private, so the assembler is asked with representative
// operands, and the decoder says what became of each.
//
//     shapeOf(assembler, {"v_mfma_f32_16x16x16_f16", {any, any, any, any}})
//         a(4) or v(4) written; v(2); v(2); v(4) read
//     shapeWithResults(assembler, {"ds_read_b64", {vgpr}, {{"offset", 8}}})
//         v(2) written, v read
//
// A search takes up to some milliseconds, so users keep what they have found.
#pragma once

#include "compiler/isa/Assembler.h"

namespace fly::isa {

/// What an instruction does with one positional operand.
struct OperandShape {
  bool writes = false, reads = false;
  Role role = Role::Other; ///< of the read where it is both
  uint8_t bits = 32;       ///< of the type that the instruction reads here
  AsmOperand example;      ///< of the pattern, or what was found for Any: file and width
};

struct InstructionShape {
  std::vector<OperandShape> operands;
  AsmInstruction assembly; ///< with the examples in place of Any
  Instruction decoded;
};

/// What the decoded instruction does with the positional operands of its assembly, whose registers are distinct.
std::vector<OperandShape> shapesOf(const AsmInstruction &assembly, const Instruction &decoded);

/// Finds operands for those of kind Any; none if there are none with which it assembles. Registers of the pattern stand
/// for their file and width. Of files that the assembler takes alike, VGPRs are chosen. `tries`: how many instructions it
/// may still try, and how many are left afterwards.
std::optional<InstructionShape> shapeOf(Assembler &assembler, AsmInstruction pattern, unsigned *tries = nullptr);
/// The same for an instruction that is given without its results: up to two in front of the operands. A register among
/// the operands is read.
std::optional<InstructionShape> shapeWithResults(Assembler &assembler, const AsmInstruction &inputs,
                                                 unsigned *tries = nullptr);

/// What may stand at a place: registers of each file and width, halves, a constant, words such as `off`. Registers at
/// different places are distinct.
std::vector<AsmOperand> usualKinds(unsigned position);
/// Which of the usual kinds the instruction takes in place of one operand.
std::vector<AsmOperand> acceptedAt(Assembler &assembler, const AsmInstruction &instruction, unsigned position);
/// "v(2), s(2) or a constant"; one register is "v".
std::string describeKinds(llvm::ArrayRef<AsmOperand> kinds);
/// How many operands complete the instruction, which begins with those given; none if no number does.
std::optional<unsigned> operandCount(Assembler &assembler, AsmInstruction instruction);

} // namespace fly::isa
