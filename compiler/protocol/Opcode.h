// A statement of LLVM IR that asks for a machine instruction by its name in LLVM's tables.
//
//     asm "fly.opcode V_WMMA_F32_16X16X16_F16_w32_twoaddr 8 $1 8 $2 8 $3 0 0", "=&v,v,v,0"
//
// The words after the name are the instruction's operands after its results, in the order of the tables: numbers, and
// `$n` for the n-th operand of the statement.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace fly::protocol {

/// An operand of the instruction.
struct OpcodeOperand {
  bool isOfStatement = false; ///< the statement's operand number `value`; otherwise the number itself
  int64_t value = 0;

  static OpcodeOperand ofStatement(unsigned index) { return {true, index}; }
  static OpcodeOperand number(int64_t value) { return {false, value}; }
  bool operator==(const OpcodeOperand &) const = default;
};

struct OpcodeStatement {
  std::string name;
  llvm::SmallVector<OpcodeOperand> operands;

  std::string text() const;
};

/// Whether a statement is of this kind, well formed or not.
bool isOpcode(llvm::StringRef statement);

/// None for another statement, and for a malformed one.
std::optional<OpcodeStatement> parseOpcode(llvm::StringRef statement);

} // namespace fly::protocol
