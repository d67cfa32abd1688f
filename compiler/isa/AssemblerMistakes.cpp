// From the assembler's complaint to what an author can do about it. The assembler says "invalid operand for
// instruction" and points at one; which kinds would be right is found by trying them.
#include "compiler/isa/OperandShapes.h"
#include "compiler/target/Target.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace fly::isa {

namespace {

/// "invalid instruction, did you mean: v_add_f16, v_add_f32?" -> the names.
std::vector<std::string> namesIn(llvm::StringRef message) {
  std::vector<std::string> names;
  auto [before, list] = message.split("did you mean: ");
  llvm::SmallVector<llvm::StringRef, 4> words;
  list.rtrim("?").split(words, ", ", -1, false);
  for (llvm::StringRef word : words) names.push_back(word.trim().str());
  return names;
}

std::vector<std::string> targetsWith(llvm::StringRef name, llvm::StringRef except) {
  std::vector<std::string> targets;
  for (const target::Target &target : target::all()) {
    const llvm::StringRef there(target.name.data(), target.name.size());
    if (there == except) continue;
    auto assembler = Assembler::create(there);
    if (!assembler) {
      llvm::consumeError(assembler.takeError());
      continue;
    }
    if ((*assembler)->knows(name)) targets.push_back(there.str());
  }
  return targets;
}

} // namespace

AsmMistake Assembler::explain(const AsmInstruction &whole, const AsmError &error) {
  AsmMistake mistake;
  mistake.message = error.message;
  const llvm::StringRef message = error.message;
  mistake.inSecond = error.part && error.part->inSecond;
  const AsmInstruction &instruction = mistake.inSecond ? *whole.second : whole;
  if (!knows(instruction.name)) {
    mistake.targets = targetsWith(instruction.name, architecture());
    mistake.kind = mistake.targets.empty() ? AsmMistake::Kind::UnknownName : AsmMistake::Kind::OtherTarget;
    mistake.suggestions = namesIn(message);
    return mistake;
  }
  if (whole.second) return mistake; // a half cannot be tried alone
  // A flag that makes another form of it: `offen`.
  for (const char *flag : {"offen", "idxen", "lds"}) {
    if (!llvm::StringRef(instruction.name).contains("buffer_")) break;
    if (llvm::any_of(instruction.modifiers, [&](const AsmModifier &m) { return m.name == flag; })) continue;
    AsmInstruction changed = instruction;
    changed.modifiers.push_back({flag, true});
    if (assemble(changed)) mistake.suggestions.push_back(std::string(flag) + "=True");
  }
  auto count = [&](size_t right) {
    mistake.kind = AsmMistake::Kind::OperandCount;
    mistake.wanted = counted(right, "operand");
  };
  if (message.starts_with("too few operands")) {
    if (auto right = operandCount(*this, instruction); right && *right != instruction.operands.size()) count(*right);
    return mistake;
  }
  if (!error.part || error.part->kind == AsmPart::Kind::Name) return mistake;
  mistake.number = error.part->number;
  if (error.part->kind == AsmPart::Kind::Modifier) {
    mistake.kind = AsmMistake::Kind::Modifier;
    return mistake;
  }
  AsmInstruction shorter = instruction;
  while (shorter.operands.size() > 1) {
    shorter.operands.pop_back();
    if (assemble(shorter)) return count(shorter.operands.size()), mistake;
  }
  if (!message.starts_with("invalid operand for instruction") && !message.starts_with("not a valid operand"))
    return mistake; // it says more than we know
  const auto kinds = acceptedAt(*this, instruction, mistake.number);
  if (kinds.empty()) { // or there are too few
    AsmInstruction begin = instruction;
    begin.operands.resize(mistake.number);
    if (auto right = operandCount(*this, begin); right && *right > instruction.operands.size()) count(*right);
    return mistake;
  }
  mistake.kind = AsmMistake::Kind::Operand;
  mistake.wanted = describeKinds(kinds);
  return mistake;
}

} // namespace fly::isa
