// The text of an instruction. The assembler takes optional modifiers in any order, but MUBUF's `idxen` and `offen` are
// parts of the name for it, and `offset` of LDS comes first: those are moved to the front. Those of DPP and SDWA come
// last, in an order of their own. `offset` of scalar memory becomes the operand that it is there.
#include "compiler/isa/Assembly.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

namespace fly::isa {

llvm::ArrayRef<llvm::StringLiteral> namedOperands() {
  // clang-format off
  static constexpr llvm::StringLiteral names[] = {
      "vcc", "vcc_lo", "vcc_hi", "exec", "exec_lo", "exec_hi", "m0", "scc", "null", "off",
      "flat_scratch", "flat_scratch_lo", "flat_scratch_hi", "xnack_mask", "xnack_mask_lo", "xnack_mask_hi",
      "src_shared_base", "src_shared_limit", "src_private_base", "src_private_limit",
      "src_vccz", "src_execz", "src_scc",
  };
  // clang-format on
  return names;
}

AsmOperand AsmOperand::ofRegister(RegisterFile file, unsigned index, unsigned width) {
  AsmOperand o;
  o.kind = Kind::Register;
  o.file = file;
  o.index = static_cast<uint16_t>(index);
  o.width = static_cast<uint8_t>(width);
  return o;
}
AsmOperand AsmOperand::ofInteger(int64_t value) {
  AsmOperand o;
  o.integer = value;
  return o;
}
AsmOperand AsmOperand::ofFloat(double value) {
  AsmOperand o;
  o.kind = Kind::Float;
  o.number = value;
  return o;
}
AsmOperand AsmOperand::ofSymbol(std::string text) {
  AsmOperand o;
  o.kind = Kind::Symbol;
  o.symbol = std::move(text);
  return o;
}
AsmOperand AsmOperand::any() {
  AsmOperand o;
  o.kind = Kind::Any;
  o.width = 0;
  return o;
}
AsmOperand AsmOperand::anyRegister(unsigned width, bool canBeHalf) {
  AsmOperand o = any();
  o.width = static_cast<uint8_t>(width);
  o.half = canBeHalf ? Half::Low : Half::Whole;
  return o;
}

namespace {

/// Instructions with named fields, and what stands between two of them.
struct FieldRow {
  const char *name, *between;
  bool parentheses;
};
constexpr FieldRow fieldRows[] = {
    {"s_waitcnt", " ", true}, {"s_waitcnt_depctr", " ", true}, {"s_wait_alu", " ", true}, {"s_delay_alu", " | ", true}};

const FieldRow *fieldRow(llvm::StringRef name) {
  auto *row = llvm::find_if(fieldRows, [&](const FieldRow &r) { return name == r.name; });
  return row == std::end(fieldRows) ? nullptr : row;
}

/// Flags whose text has a number.
bool hasNumber(llvm::StringRef flag) { return flag == "bound_ctrl" || flag == "fi"; }

unsigned rankOf(llvm::StringRef modifier) {
  static const char *const first[] = {"idxen", "offen", "addr64", "offset", "offset0", "offset1"};
  static const char *const last[] = {"row_mask", "bank_mask",  "bound_ctrl", "fi",
                                     "dst_sel",  "dst_unused", "src0_sel",   "src1_sel"};
  constexpr unsigned others = std::size(first), dpp = others + 1;
  for (unsigned i = 0; i < std::size(first); ++i)
    if (modifier == first[i]) return i;
  for (unsigned i = 0; i < std::size(last); ++i)
    if (modifier == last[i]) return dpp + 1 + i;
  const bool isDpp = modifier == "dpp8" || modifier == "quad_perm" || modifier.starts_with("wave_") ||
                     (modifier.starts_with("row_") && modifier != "row_en");
  return isDpp ? dpp : others;
}

std::string valueText(const AsmModifier &m) {
  if (auto *number = std::get_if<int64_t>(&m.value)) return std::to_string(*number);
  if (auto *text = std::get_if<std::string>(&m.value)) return *text;
  if (auto *list = std::get_if<std::vector<int64_t>>(&m.value)) {
    std::string text = "[";
    for (size_t i = 0; i < list->size(); ++i) text += (i ? "," : "") + std::to_string((*list)[i]);
    return text + "]";
  }
  return std::get<bool>(m.value) ? "1" : "0";
}

std::string modifierText(const AsmModifier &m) {
  if (auto *flag = std::get_if<bool>(&m.value); flag && !hasNumber(m.name)) return *flag ? m.name : "";
  if (auto *flag = std::get_if<bool>(&m.value); flag && !*flag) return "";
  return m.name + ":" + valueText(m);
}

std::string registerText(const AsmOperand &o) {
  static constexpr const char *files[] = {"s", "v", "a", "?"};
  std::string text = files[static_cast<unsigned>(o.file)];
  if (o.width == 1) text += std::to_string(o.index);
  else text += "[" + std::to_string(o.index) + ":" + std::to_string(o.index + o.width - 1) + "]";
  if (o.half != Half::Whole) text += o.half == Half::High ? ".h" : ".l";
  return text;
}

std::string floatText(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.17g", value);
  double shorter = 0;
  for (int digits = 1; digits < 17; ++digits) {
    std::string candidate;
    llvm::raw_string_ostream(candidate) << llvm::format("%.*g", digits, value);
    if (!llvm::StringRef(candidate).getAsDouble(shorter) && shorter == value) {
      text = candidate;
      break;
    }
  }
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

/// Scalar memory has its constant offset as an operand, unless a register is there: the modifier that it is given as.
size_t positionalOffset(const AsmInstruction &i) {
  const llvm::StringRef name = i.name;
  if (i.operands.size() != 2 ||
      !(name.starts_with("s_load_") || name.starts_with("s_store_") || name.starts_with("s_buffer_")))
    return i.modifiers.size();
  auto found = llvm::find_if(i.modifiers, [](const AsmModifier &m) { return m.name == "offset"; });
  return static_cast<size_t>(found - i.modifiers.begin());
}

void appendHalf(std::string &text, const AsmInstruction &i, bool second, std::vector<AsmPart> *parts) {
  auto note = [&](AsmPart::Kind kind, size_t number, size_t begin) {
    if (parts) parts->push_back({kind, static_cast<unsigned>(number), second, begin, text.size()});
  };
  size_t begin = text.size();
  text += i.name;
  note(AsmPart::Kind::Name, 0, begin);
  for (size_t k = 0; k < i.operands.size(); ++k) {
    text += k ? ", " : " ";
    begin = text.size();
    text += textOf(i.operands[k]);
    note(AsmPart::Kind::Operand, k, begin);
  }
  if (auto *row = fieldRow(i.name)) {
    for (size_t k = 0; k < i.modifiers.size(); ++k) {
      text += k || !i.operands.empty() ? row->between : " ";
      begin = text.size();
      text += i.modifiers[k].name + "(" + valueText(i.modifiers[k]) + ")";
      note(AsmPart::Kind::Modifier, k, begin);
    }
    return;
  }
  const size_t position = positionalOffset(i);
  if (position < i.modifiers.size()) {
    text += ", ";
    begin = text.size();
    text += valueText(i.modifiers[position]);
    note(AsmPart::Kind::Modifier, position, begin);
  }
  llvm::SmallVector<size_t, 8> order;
  for (size_t k = 0; k < i.modifiers.size(); ++k)
    if (k != position) order.push_back(k);
  llvm::stable_sort(order,
                    [&](size_t a, size_t b) { return rankOf(i.modifiers[a].name) < rankOf(i.modifiers[b].name); });
  for (size_t k : order) {
    const std::string one = modifierText(i.modifiers[k]);
    if (one.empty()) continue;
    text += ' ';
    begin = text.size();
    text += one;
    note(AsmPart::Kind::Modifier, k, begin);
  }
}

} // namespace

std::string textOf(const AsmOperand &o) {
  std::string text;
  switch (o.kind) {
  case AsmOperand::Kind::Register: text = registerText(o); break;
  case AsmOperand::Kind::Integer: text = std::to_string(o.integer); break;
  case AsmOperand::Kind::Float: text = floatText(o.number); break;
  case AsmOperand::Kind::Symbol: text = o.symbol; break;
  case AsmOperand::Kind::Any:
    text = "?" + (o.width ? std::to_string(o.width) + (o.half == Half::Whole ? "" : "h") : "");
    break;
  }
  if (o.sext) return "sext(" + text + ")";
  if (o.abs) text = "|" + text + "|";
  if (o.neg)
    text = o.kind == AsmOperand::Kind::Register || o.kind == AsmOperand::Kind::Symbol || o.abs ? "-" + text
                                                                                               : "neg(" + text + ")";
  return text;
}

std::string textOf(const AsmInstruction &instruction, std::vector<AsmPart> *parts) {
  std::string text;
  if (parts) parts->clear();
  appendHalf(text, instruction, false, parts);
  if (instruction.second) {
    text += " :: ";
    appendHalf(text, *instruction.second, true, parts);
  }
  return text;
}

std::string whyNotSymbol(llvm::StringRef text) {
  if (text.trim().empty()) return "it is empty";
  for (char c : text)
    if (!llvm::isAlnum(c) && !llvm::StringRef("_(),:.[]- |").contains(c))
      return "`" + std::string(1, c) + "` is not part of an operand";
  return "";
}

bool hasNamedFields(llvm::StringRef name) { return fieldRow(name) != nullptr; }

} // namespace fly::isa
