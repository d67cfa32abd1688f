// What is wrong with an instruction that is given without its results (shapeWithResults), and what would be right:
// other operands, numbers of operands and values of modifiers are tried. The assembler's own complaint is about
// operands that the author did not write.
//
//     explainInputs(assembler, {"v_pk_add_f32", {anyRegister(1), anyRegister(1)}})
//         Operand 0: v(2), s(2) or a constant
//     explainInputs(assembler, {"v_mov_b32_dpp", {anyRegister(1), anyRegister(1)}, {{"row_shr", 77}}})
//         Modifier 0: `row_shr` must be from 1 to 15, not 77
#pragma once

#include "compiler/isa/OperandShapes.h"

namespace fly::isa {

struct InputMistake {
  enum class Kind : uint8_t {
    Operand,  ///< `number` must be `wanted`
    Modifier, ///< `message` is about modifier `number`
    Whole,    ///< `message` is about all of it
  } kind = Kind::Whole;
  size_t number = 0;
  std::string message, wanted;
  std::string help, note; ///< empty if there is none
};

/// Of inputs that shapeWithResults refused. Tries some thousand instructions: slow.
InputMistake explainInputs(Assembler &assembler, const AsmInstruction &inputs);

/// Of inputs that the assembler takes, although the hardware reads fewer bits of a constant: `s_setprio 9`.
std::optional<InputMistake> constantOutOfRange(const AsmInstruction &inputs);

} // namespace fly::isa
