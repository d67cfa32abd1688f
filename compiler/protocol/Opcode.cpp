// See Opcode.h.
#include "compiler/protocol/Opcode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace fly::protocol {

static constexpr llvm::StringLiteral opcodeTag = "fly.opcode ";

std::string OpcodeStatement::text() const {
  std::string text = opcodeTag.str() + name;
  for (const OpcodeOperand &operand : operands)
    text += (operand.isOfStatement ? " $" : " ") + std::to_string(operand.value);
  return text;
}

bool isOpcode(llvm::StringRef statement) { return statement.starts_with(opcodeTag); }

std::optional<OpcodeStatement> parseOpcode(llvm::StringRef statement) {
  if (!statement.consume_front(opcodeTag))
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(statement, words);
  if (words.empty())
    return std::nullopt;
  OpcodeStatement parsed{words.front().str(), {}};
  for (llvm::StringRef word : llvm::drop_begin(words)) {
    OpcodeOperand &operand = parsed.operands.emplace_back();
    operand.isOfStatement = word.consume_front("$");
    if (word.getAsInteger(10, operand.value) || (operand.isOfStatement && operand.value < 0))
      return std::nullopt;
  }
  return parsed;
}

} // namespace fly::protocol
