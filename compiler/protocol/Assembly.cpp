// See Assembly.h.
#include "compiler/protocol/Assembly.h"

namespace fly::protocol {

static constexpr llvm::StringLiteral assemblyTag = "fly.asm ", m0Is = "m0=";

std::string assemblyStatement(llvm::StringRef words) { return assemblyTag.str() + words.str(); }

std::optional<llvm::StringRef> assemblyWords(llvm::StringRef statement) {
  return statement.consume_front(assemblyTag) ? std::optional(statement) : std::nullopt;
}

std::string operandText(unsigned number) { return "$" + std::to_string(number); }

std::string operandText(unsigned number, unsigned former) { return operandText(number) + "<" + operandText(former); }

/// Takes "$2" from the front.
static std::optional<unsigned> takeNumber(llvm::StringRef &words) {
  llvm::StringRef rest = words;
  unsigned number = 0;
  if (!rest.consume_front("$") || rest.consumeInteger(10, number))
    return std::nullopt;
  words = rest;
  return number;
}

std::optional<AssemblyOperand> takeOperand(llvm::StringRef &words) {
  std::optional<unsigned> number = takeNumber(words);
  if (!number)
    return std::nullopt;
  AssemblyOperand operand{*number, std::nullopt};
  if (llvm::StringRef rest = words; rest.consume_front("<"))
    if ((operand.former = takeNumber(rest)))
      words = rest;
  return operand;
}

std::string withM0(unsigned operand, llvm::StringRef words) {
  return m0Is.str() + operandText(operand) + " " + words.str();
}

AssemblyParts withoutM0(llvm::StringRef words) {
  llvm::StringRef rest = words;
  if (rest.consume_front(m0Is))
    if (std::optional<unsigned> operand = takeNumber(rest); operand && rest.consume_front(" "))
      return {operand, rest};
  return {std::nullopt, words};
}

} // namespace fly::protocol
