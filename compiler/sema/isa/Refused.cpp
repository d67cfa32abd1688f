// See Refused.h. What the assembler takes is found by trying: other operands in a place, other values of a modifier.
#include "compiler/sema/isa/Refused.h"

#include "compiler/sema/isa/Stream.h"
#include "compiler/text/Words.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::sema {

namespace {

struct ValueRange {
  int64_t low, high;
  bool ofEach; ///< number of a list
};

/// Variants of an instruction of one half.
class Trial {
public:
  Trial(isa::Assembler &assembler, const isa::AsmInstruction &whole) : assembler(assembler), whole(whole) {}

  bool takes(size_t operand, isa::AsmOperand other) const {
    if (whole.second || operand >= whole.operands.size())
      return false;
    isa::AsmInstruction changed = whole;
    changed.operands[operand] = std::move(other);
    return bool(assembler.assemble(changed));
  }

  /// What the place takes such that the whole is right: "vcc or s(2)"; empty if nothing helps.
  std::string takenAt(size_t operand) const {
    const std::string vcc = assembler.waveSize() == 64 ? "vcc" : "vcc_lo";
    std::vector<std::string> kinds;
    if (takes(operand, isa::AsmOperand::ofSymbol(vcc)))
      kinds.push_back("`" + vcc + "`");
    for (auto file : {isa::RegisterFile::SGPR, isa::RegisterFile::VGPR, isa::RegisterFile::AGPR})
      for (unsigned width : {1, 2, 4})
        if (takes(operand, isa::AsmOperand::ofRegister(file, 0, width))) {
          const char letter = file == isa::RegisterFile::SGPR ? 's' : file == isa::RegisterFile::VGPR ? 'v' : 'a';
          kinds.push_back(width == 1 ? std::string(1, letter) : letter + ("(" + std::to_string(width) + ")"));
        }
    std::string text;
    for (size_t k = 0; k < kinds.size(); ++k)
      text += (k == 0 ? "" : k + 1 == kinds.size() ? " or " : ", ") + kinds[k];
    return text;
  }

  /// `vcc_lo` for `vcc`, where the wave has 32 lanes, and the other way round; empty if that does not help.
  std::string maskOfWave(size_t operand) const {
    if (operand >= whole.operands.size() || whole.operands[operand].kind != isa::AsmOperand::Kind::Symbol)
      return "";
    llvm::StringRef name = whole.operands[operand].symbol;
    const std::string other = name.consume_back("_lo") ? name.str() : name.str() + "_lo";
    const bool isMask = name == "vcc" || name == "exec";
    return isMask && takes(operand, isa::AsmOperand::ofSymbol(other)) ? other : "";
  }

  /// The values of a modifier, if it takes numbers but not these.
  std::optional<ValueRange> rangeOf(size_t modifier) const {
    const auto &value = whole.modifiers[modifier].value;
    if (whole.second)
      return std::nullopt;
    if (auto *number = std::get_if<int64_t>(&value))
      return around(*number, [&](int64_t v) { return takesValue(modifier, v); });
    auto *list = std::get_if<std::vector<int64_t>>(&value);
    if (!list || list->empty())
      return std::nullopt;
    const auto largest = std::max_element(list->begin(), list->end());
    const int64_t found = *std::min_element(list->begin(), list->end()) < 0 ? list->front() : *largest;
    auto range = around(found, [&](int64_t v) { return takesValue(modifier, std::vector<int64_t>(list->size(), v)); });
    if (range)
      range->ofEach = true;
    return range;
  }

private:
  isa::Assembler &assembler;
  const isa::AsmInstruction &whole;

  template <class T> bool takesValue(size_t modifier, T value) const {
    isa::AsmInstruction changed = whole;
    changed.modifiers[modifier].value = std::move(value);
    return bool(assembler.assemble(changed));
  }

  /// The neighbours of a value that is taken, if `found` is not among them.
  template <class F> static std::optional<ValueRange> around(int64_t found, F &&isTaken) {
    std::optional<int64_t> inside;
    for (int64_t v : {0, 1, 2, 4, 16, -1})
      if (!inside && isTaken(v))
        inside = v;
    if (!inside)
      return std::nullopt;
    auto last = [&](int64_t direction) {
      int64_t good = *inside, step = direction;
      while (std::abs(step) < (int64_t(1) << 33) && isTaken(good + step))
        good += step, step *= 2;
      for (; step; step /= 2)
        if (isTaken(good + step))
          good += step;
      return good;
    };
    const ValueRange range{last(-1), last(1), false};
    return found < range.low || found > range.high ? std::optional(range) : std::nullopt;
  }
};

std::string valueOf(const isa::AsmModifier &modifier) {
  if (auto *number = std::get_if<int64_t>(&modifier.value))
    return std::to_string(*number);
  if (auto *text = std::get_if<std::string>(&modifier.value))
    return "\"" + *text + "\"";
  if (auto *flag = std::get_if<bool>(&modifier.value))
    return *flag ? "True" : "False";
  std::string list;
  for (int64_t number : std::get<std::vector<int64_t>>(modifier.value))
    list += (list.empty() ? "" : ", ") + std::to_string(number);
  return "[" + list + "]";
}

} // namespace

void refuseInstruction(Elaborator &e, isa::Assembler &assembler, const isa::AsmInstruction &whole,
                       const isa::AsmError &error, llvm::ArrayRef<IsaHalf> halves, SourceRange range) {
  using Kind = isa::AsmMistake::Kind;
  const isa::AsmMistake mistake = assembler.explain(whole, error);
  const IsaHalf &half = halves[mistake.inSecond && halves.size() > 1 ? 1 : 0];
  const Trial trial(assembler, whole);
  const std::string &name = half.assembly.name, arch = std::string(e.target.name);
  auto withHelp = [&](DiagnosticBuilder &&builder) {
    for (const std::string &each : mistake.suggestions)
      builder.help("with `" + each + "` the assembler accepts it");
    throw Failed{};
  };
  for (size_t k = 0; k < half.operandRanges.size(); ++k)
    if (const std::string other = trial.maskOfWave(k); !other.empty()) {
      e.report(half.operandRanges[k],
               diag::isa_operand{
                   .number = int64_t(k + 1), .name = name, .wanted = "`" + other + "`", .found = half.operandTexts[k]})
          .help("a wave of " + arch + " has " + std::to_string(assembler.waveSize()) + " lanes, one bit each");
      throw Failed{};
    }
  switch (mistake.kind) {
  case Kind::UnknownName: {
    auto builder = e.report(range, diag::unknown_instruction{.arch = arch, .name = name});
    std::string names;
    for (const std::string &each : mistake.suggestions)
      names += (names.empty() ? "`" : ", `") + each + "`";
    if (!names.empty())
      builder.help("similar names: " + names);
    throw Failed{};
  }
  case Kind::OtherTarget: {
    auto builder = e.report(range, diag::unknown_instruction{.arch = arch, .name = name});
    std::string targets;
    for (const std::string &each : mistake.targets)
      targets += (targets.empty() ? "" : ", ") + each;
    builder.note(targets + " " + plural(mistake.targets.size(), "has", "have") + " it");
    throw Failed{};
  }
  case Kind::OperandCount:
    for (size_t k = 0; k < half.operandRanges.size(); ++k)
      if (const std::string wanted = trial.takenAt(k); !wanted.empty())
        e.fail(
            half.operandRanges[k],
            diag::isa_operand{.number = int64_t(k + 1), .name = name, .wanted = wanted, .found = half.operandTexts[k]});
    withHelp(e.report(diag::wrong_argument_count, range,
                      {name, mistake.wanted, std::to_string(half.assembly.operands.size())}));
    break;
  case Kind::Operand:
    if (mistake.number < half.operandRanges.size())
      withHelp(
          e.report(half.operandRanges[mistake.number], diag::isa_operand{.number = int64_t(mistake.number + 1),
                                                                         .name = name,
                                                                         .wanted = mistake.wanted,
                                                                         .found = half.operandTexts[mistake.number]}));
    break;
  case Kind::Modifier:
    if (mistake.number < half.modifierRanges.size()) {
      const isa::AsmModifier &modifier = half.assembly.modifiers[mistake.number];
      if (auto range = trial.rangeOf(mistake.number)) {
        e.report(half.modifierRanges[mistake.number],
                 diag::out_of_range{.what = (range->ofEach ? "each number of `" : "`") + modifier.name + "` of `" +
                                            name + "`",
                                    .low = range->low,
                                    .high = range->high,
                                    .found = valueOf(modifier)});
        throw Failed{};
      }
      const bool isText = std::holds_alternative<std::string>(modifier.value);
      auto builder = e.report(
          half.modifierRanges[mistake.number],
          diag::isa_modifier{.name = name, .modifier = modifier.name + (isText ? "=" + valueOf(modifier) : "")});
      if (!llvm::StringRef(mistake.message).starts_with("invalid operand for instruction") &&
          !llvm::StringRef(mistake.message).starts_with("not a valid operand"))
        builder.note("the assembler says: " + mistake.message);
      withHelp(std::move(builder));
    }
    break;
  case Kind::Other: break;
  }
  SourceRange at = range;
  if (error.part && error.part->kind == isa::AsmPart::Kind::Operand && mistake.number < half.operandRanges.size())
    at = half.operandRanges[mistake.number];
  withHelp(e.report(at, diag::isa_refused{.text = isa::textOf(whole), .message = mistake.message}));
  throw Failed{};
}

} // namespace fly::sema
