// Encodings to try for a mnemonic, and operand values worth trying.
#pragma once

#include "compiler/hardware/forms/OperandValues.h"
#include "tests/emulator/StepBench.h"
#include "tests/emulator/pseudocode/Library.h"

namespace fly::pseudocode {

using hardware::Random;

/// Numbers of prepared instructions of the bench: the plain encodings of `what` that the assembler accepts for this
/// architecture, then variants of them with other operand kinds and modifiers. Empty: it has no such
/// instruction, or (`exists`) none of those tried is one.
std::vector<int> encodings(emulator::test::StepBench &bench, const Instruction &what, Random &random, unsigned variants,
                           bool *exists = nullptr);

/// As hardware::operandValue, of any width.
inline Wide interesting(Random &random, unsigned bits, unsigned floatBits, bool bfloat) {
  return bits > 64 ? Wide(random()) << 64 | random() : Wide(hardware::operandValue(random, bits, floatBits, bfloat));
}

} // namespace fly::pseudocode
