// An instruction as an author writes it: a name, positional operands, modifiers; and its text for LLVM's assembler.
//
//     AsmInstruction add{"v_add_f32", {vgpr(0), negated(vgpr(1)), AsmOperand::ofFloat(1.5)}, {{"clamp", true}}};
//     textOf(add)                             // "v_add_f32 v0, -v1, 1.5 clamp"
//
// Operands stand in the order of the assembler of the target, destinations first. The names of modifiers are the
// assembler's, too: `offset`, `offen`, `nt`, `op_sel`, `quad_perm`, `dst_sel`, `th`. Two families have no positional
// operand but named fields, which are given as modifiers: s_waitcnt (`vmcnt`, `lgkmcnt`), s_wait_alu
// (`depctr_va_vdst`), s_delay_alu (`instid0`, `instskip`, `instid1`).
#pragma once

#include "compiler/isa/Instruction.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fly::isa {

struct AsmOperand {
  enum class Kind : uint8_t {
    Register, ///< of a numbered file
    Integer,
    Float,
    Symbol, ///< the assembler's own spelling: "vcc", "m0", "off", "hwreg(HW_REG_MODE, 0, 4)", "ttmp9"
    Any,    ///< not known yet, apart from the width if that is not 0; only for OperandShapes.h
  };
  Kind kind = Kind::Integer;
  RegisterFile file = RegisterFile::VGPR;
  Half half = Half::Whole;
  uint8_t width = 1; ///< in 32-bit units
  uint16_t index = 0;
  int64_t integer = 0;
  double number = 0;
  std::string symbol;
  bool neg = false, abs = false, sext = false;

  static AsmOperand ofRegister(RegisterFile file, unsigned index, unsigned width = 1);
  static AsmOperand ofInteger(int64_t value);
  static AsmOperand ofFloat(double value);
  static AsmOperand ofSymbol(std::string text);
  static AsmOperand any();
  /// A register of this width, of whichever file; perhaps half of one.
  static AsmOperand anyRegister(unsigned width, bool canBeHalf = false);
  bool isRegister() const { return kind == Kind::Register; }
};

/// `name`, `name:3`, `name:[0,1]`, `name:WORD_1`.
struct AsmModifier {
  std::string name;
  std::variant<bool, int64_t, std::string, std::vector<int64_t>> value = true;
};

struct AsmInstruction {
  std::string name;
  std::vector<AsmOperand> operands;
  std::vector<AsmModifier> modifiers;
  std::shared_ptr<const AsmInstruction> second; ///< the other half of a dual instruction (`::`)
};

/// Where a part of an instruction stands in its text.
struct AsmPart {
  enum class Kind : uint8_t { Name, Operand, Modifier } kind = Kind::Name;
  unsigned number = 0; ///< of the operand or modifier
  bool inSecond = false;
  size_t begin = 0, end = 0;
};

/// The text; with `parts`, also where each operand and modifier stands.
std::string textOf(const AsmInstruction &instruction, std::vector<AsmPart> *parts = nullptr);
std::string textOf(const AsmOperand &operand);
/// The symbols that a kernel may write as operands: registers without a number, and `off` and `null` in place of one.
llvm::ArrayRef<llvm::StringLiteral> namedOperands();
/// What is wrong with a text that goes to the assembler as it is; empty if nothing. It must not end the statement.
std::string whyNotSymbol(llvm::StringRef text);
/// Whether the instruction's fields are written as modifiers: s_waitcnt, s_wait_alu, s_delay_alu.
bool hasNamedFields(llvm::StringRef name);

} // namespace fly::isa
