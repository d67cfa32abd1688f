// See InputMistakes.h. The order is: modifiers, missing flags, the number of operands, one operand, all of them.
#include "compiler/isa/InputMistakes.h"

#include "compiler/isa/ModifierNames.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace fly::isa {

namespace {

using Kind = InputMistake::Kind;

/// An explanation tries this many instructions, all of its searches together: a second at the most. What it has not
/// found by then, it does not name.
struct Trial {
  Assembler &assembler;
  unsigned left = 30000;

  std::optional<InstructionShape> shape(const AsmInstruction &inputs) {
    return left ? shapeWithResults(assembler, inputs, &left) : std::nullopt;
  }
};

InputMistake ofModifier(size_t number, std::string message, std::string help = "") {
  return {Kind::Modifier, number, std::move(message), "", std::move(help), ""};
}

std::string quoted(llvm::ArrayRef<std::string> names) { return "`" + llvm::join(names, "`, `") + "`"; }

AsmInstruction withValue(AsmInstruction instruction, size_t modifier, int64_t value) {
  instruction.modifiers[modifier].value = value;
  return instruction;
}

/// The farthest value from `from` in a direction up to which all that are tried are taken.
template <class F> int64_t farthest(int64_t from, int64_t direction, F takes) {
  int64_t at = from;
  for (int64_t step = 1; step < (int64_t(1) << 33);) {
    if (takes(at + direction * step)) at += direction * step, step *= 2;
    else if (step == 1) break;
    else step = 1;
  }
  return at;
}

/// "must be from 0 to 4095 here, not 5000"; nothing if no number is right.
std::optional<InputMistake> wrongValue(Trial &trial, const AsmInstruction &inputs, size_t number) {
  const AsmModifier &modifier = inputs.modifiers[number];
  auto *given = std::get_if<int64_t>(&modifier.value);
  if (!given) return std::nullopt;
  for (int64_t value : {0, 1, 2, 4, 8}) {
    auto found = trial.shape(withValue(inputs, number, value));
    if (!found) continue;
    auto takes = [&](int64_t other) {
      return bool(trial.assembler.assemble(withValue(found->assembly, number, other)));
    };
    const int64_t least = farthest(value, -1, takes), most = farthest(value, 1, takes);
    return ofModifier(number, "`" + modifier.name + "` must be " +
                                  (least == most ? std::to_string(least)
                                                 : "from " + std::to_string(least) + " to " + std::to_string(most)) +
                                  " here, not " + std::to_string(*given));
  }
  return std::nullopt;
}

/// A field that s_waitcnt, s_wait_alu or s_delay_alu does not have.
std::optional<InputMistake> wrongField(Trial &trial, const AsmInstruction &inputs, size_t number) {
  std::vector<std::string> fields;
  for (const char *field : fieldNames())
    if (trial.assembler.assemble(AsmInstruction{inputs.name, {}, {{field, int64_t(0)}}, nullptr}))
      fields.push_back(field);
  if (llvm::is_contained(fields, inputs.modifiers[number].name)) return std::nullopt;
  return ofModifier(number, "it has no field `" + inputs.modifiers[number].name + "`", "it has " + quoted(fields));
}

std::optional<InputMistake> wrongModifier(Trial &trial, const AsmInstruction &inputs) {
  for (auto [i, modifier] : llvm::enumerate(inputs.modifiers)) {
    if (hasNamedFields(inputs.name)) {
      if (auto mistake = wrongField(trial, inputs, i)) return mistake;
    } else if (!isModifierName(modifier.name)) {
      const auto near = modifierNamesNear(modifier.name);
      return ofModifier(i, "no modifier is called `" + modifier.name + "`",
                        near.empty() ? "" : "similar names: " + quoted(near));
    }
  }
  for (size_t i = 0; i < inputs.modifiers.size(); ++i)
    if (auto mistake = wrongValue(trial, inputs, i)) return mistake;
  for (size_t i = 0; i < inputs.modifiers.size(); ++i) {
    AsmInstruction without = inputs;
    without.modifiers.erase(without.modifiers.begin() + static_cast<ptrdiff_t>(i));
    if (!trial.shape(without)) continue;
    AsmInstruction alone = without;
    alone.modifiers = {inputs.modifiers[i]};
    const std::string name = "`" + inputs.modifiers[i].name + "`";
    const bool isFlag = std::holds_alternative<bool>(inputs.modifiers[i].value);
    if (inputs.modifiers.size() > 1 && trial.shape(alone))
      return ofModifier(i, "it does not take " + name + " together with its other modifiers");
    return ofModifier(i, "it does not take " + name + (isFlag ? "" : " with this value") + " here");
  }
  AsmInstruction bare = inputs;
  bare.modifiers.clear();
  if (!inputs.modifiers.empty() && trial.shape(bare))
    return InputMistake{Kind::Whole, 0, "its modifiers do not go together", "", "", ""};
  return std::nullopt;
}

std::optional<InputMistake> missingFlag(Trial &trial, const AsmInstruction &inputs) {
  if (!llvm::StringRef(inputs.name).contains("buffer_")) return std::nullopt;
  for (const char *flag : {"offen", "idxen"}) {
    AsmInstruction flagged = inputs;
    flagged.modifiers.push_back({flag, true});
    if (trial.shape(flagged))
      return InputMistake{Kind::Whole,
                          0,
                          "an address per lane needs a flag that says what it is",
                          "",
                          std::string("give `") + flag + "=True`",
                          ""};
  }
  return std::nullopt;
}

std::optional<InputMistake> wrongCount(Trial &trial, const AsmInstruction &inputs) {
  constexpr size_t most = 8;
  for (size_t count = 0; count <= most; ++count) {
    if (count == inputs.operands.size()) continue;
    AsmInstruction other = inputs;
    other.operands.assign(count, AsmOperand::any());
    if (auto found = trial.shape(other))
      return InputMistake{Kind::Whole,
                          0,
                          "it takes " + counted(count, "operand") + ", not " + std::to_string(inputs.operands.size()),
                          "",
                          "",
                          "in the assembler: `" + textOf(found->assembly) +
                              "`; an operand that is only written is a result of the call"};
  }
  return std::nullopt;
}

/// Of operands that are open in `open`, the first one that is given as something else than what is accepted there.
std::optional<InputMistake> wrongOperand(Trial &trial, const AsmInstruction &inputs, AsmInstruction open) {
  auto found = trial.shape(open);
  if (!found) return std::nullopt;
  const size_t results = found->operands.size() - inputs.operands.size();
  auto isOpen = [](const AsmOperand &o) { return o.kind == AsmOperand::Kind::Any && o.width == 0; };
  const bool isOnlyOne = llvm::count_if(open.operands, isOpen) == 1;
  for (auto [i, given] : llvm::enumerate(inputs.operands)) {
    if (!isOpen(open.operands[i])) continue;
    const auto kinds = acceptedAt(trial.assembler, found->assembly, static_cast<unsigned>(results + i));
    const bool isTaken = llvm::any_of(kinds, [&](const AsmOperand &kind) {
      if (given.kind == AsmOperand::Kind::Any) return kind.isRegister() && kind.width == given.width;
      return kind.kind == given.kind && kind.width == given.width && (!given.isRegister() || kind.file == given.file) &&
             !given.symbol.empty() == !kind.symbol.empty();
    });
    if (!isTaken || isOnlyOne) return InputMistake{Kind::Operand, i, "", describeKinds(kinds), "", ""};
  }
  return std::nullopt;
}

} // namespace

InputMistake explainInputs(Assembler &assembler, const AsmInstruction &inputs) {
  Trial trial{assembler};
  if (auto mistake = wrongModifier(trial, inputs)) return *mistake;
  if (auto mistake = missingFlag(trial, inputs)) return *mistake;
  AsmInstruction all = inputs;
  for (AsmOperand &operand : all.operands) operand = AsmOperand::any();
  const bool isRightCount = trial.shape(all).has_value();
  if (!isRightCount)
    if (auto mistake = wrongCount(trial, inputs)) return *mistake;
  for (size_t i = 0; i < inputs.operands.size(); ++i) {
    AsmInstruction open = inputs;
    open.operands[i] = AsmOperand::any();
    if (auto mistake = wrongOperand(trial, inputs, open)) return *mistake;
  }
  if (auto mistake = wrongOperand(trial, inputs, all)) return *mistake;
  return {Kind::Whole, 0, "the assembler has no form of it with these operands and modifiers", "", "", ""};
}

std::optional<InputMistake> constantOutOfRange(const AsmInstruction &inputs) {
  static const struct {
    const char *name;
    int64_t least, most;
  } rows[] = {{"s_nop", 0, 15},          {"s_setprio", 0, 3},        {"s_sleep", 0, 127},
              {"s_wait_loadcnt", 0, 63}, {"s_wait_storecnt", 0, 63}, {"s_wait_samplecnt", 0, 63},
              {"s_wait_dscnt", 0, 63},   {"s_wait_kmcnt", 0, 31},    {"s_wait_bvhcnt", 0, 7},
              {"s_wait_expcnt", 0, 7},   {"s_wait_asynccnt", 0, 63}, {"s_wait_tensorcnt", 0, 63},
              {"s_wait_xcnt", 0, 63},    {"s_clause", 1, 62}};
  if (inputs.operands.size() != 1 || inputs.operands[0].kind != AsmOperand::Kind::Integer) return std::nullopt;
  const int64_t given = inputs.operands[0].integer;
  for (auto &row : rows)
    if (inputs.name == row.name && (given < row.least || given > row.most))
      return InputMistake{Kind::Operand,
                          0,
                          "",
                          "a constant from " + std::to_string(row.least) + " to " + std::to_string(row.most),
                          "",
                          ""};
  return std::nullopt;
}

} // namespace fly::isa
