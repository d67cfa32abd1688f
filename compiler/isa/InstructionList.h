// All instructions of an architecture as an author writes them: names, operands, modifiers, meanings. `flyc targets
// ARCH --instructions` and the pages docs/generated/instructions/ print it.
//
//     auto list = fly::isa::listInstructions("gfx942", "v_mfma_f32_16x16x16*");
//     textOf(list->front().forms.front())
//         "d: v(4) or a(4); a: v(2) or a(2); b: v(2) or a(2); c: v(4), a(4) or a constant"
//
// Which instructions there are comes from OpcodeList.h, with an example of each way of writing one; what may stand in
// the place of each operand of the examples, LLVM's assembler says (OperandShapes.h).
#pragma once

#include "compiler/isa/OpcodeList.h"
#include "compiler/isa/OperandShapes.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace fly::isa {

enum class InstructionFamily : uint8_t {
  Valu,
  Dual,
  Matrix,
  Scalar,
  Lds,
  Buffer,
  Global,
  ScalarMemory,
  Tensor,
  Control,
  Export
};
/// "VALU", "matrix", ...; and what a reader of its table must know.
std::string_view name(InstructionFamily family);
std::string_view noteOn(InstructionFamily family);
/// In the order of the pages.
llvm::ArrayRef<InstructionFamily> instructionFamilies();

struct ListedOperand {
  std::string name;                   ///< as meanings call it: "d", "a", "addr", "k"
  bool writes = false, reads = false; ///< neither where it is not a register
  bool isLabel = false;               ///< the target of a branch
  std::vector<AsmOperand> kinds;      ///< what it may be
};

/// One number of operands.
struct InstructionForm {
  std::vector<ListedOperand> operands; ///< in the assembler's order
  /// Modifiers without which the assembler does not take them: `sc0`, `th:TH_ATOMIC_RETURN`. Not those that only say
  /// what an operand is (offen, idxen).
  std::vector<std::string> needs;
  bool readsM0 = false; ///< of a compiled kernel, which gives it with `m0=`
};

struct ListedInstruction {
  std::string name; ///< without what an encoding adds
  InstructionFamily family = InstructionFamily::Valu;
  std::vector<InstructionForm> forms; ///< by number of operands
  std::vector<std::string> modifiers; ///< names, sorted
  std::string notInKernel;            ///< whyNotInKernel; "is a half of two" of a dual one
  std::string meaning;
};

/// Those whose names fit the pattern, in which `*` is any text and `?` any character, sorted by name. Takes some
/// seconds for all. An error if the architecture is unknown or the pattern is malformed.
llvm::Expected<std::vector<ListedInstruction>> listInstructions(llvm::StringRef architecture,
                                                                llvm::StringRef pattern = "*");
/// The same from a list that was read before.
llvm::Expected<std::vector<ListedInstruction>> listInstructions(llvm::StringRef architecture, const OpcodeList &opcodes,
                                                                llvm::StringRef pattern);
/// The names alone, each with its meaning, sorted.
std::vector<std::pair<std::string, std::string>> mnemonicsIn(const OpcodeList &opcodes);

/// "v(4)", "a", "a constant", "half of v", "off", "a label".
std::vector<std::string> kindsOf(const ListedOperand &operand);
/// "d: v(4) or a(4); a: v(2)". "" if there are no operands.
std::string textOf(const InstructionForm &form);

} // namespace fly::isa
