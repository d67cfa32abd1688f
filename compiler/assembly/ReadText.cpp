// Operands are separated by commas outside of brackets. Behind the last one stand modifiers, separated by blanks.
#include "compiler/assembly/ReadText.h"

#include "llvm/ADT/StringExtras.h"

namespace fly::assembly {

using isa::AsmInstruction;
using isa::AsmModifier;
using isa::AsmOperand;

namespace {

/// Parts at `separator` outside of brackets and bars.
llvm::SmallVector<llvm::StringRef, 8> splitOutside(llvm::StringRef text, char separator) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
    if (c != separator || depth > 0)
      continue;
    parts.push_back(text.slice(begin, at).trim());
    begin = at + 1;
  }
  parts.push_back(text.drop_front(begin).trim());
  return parts;
}

bool readRegister(llvm::StringRef text, AsmOperand &o) {
  o.kind = AsmOperand::Kind::Register;
  if (text.consume_back(".l"))
    o.half = isa::Half::Low;
  else if (text.consume_back(".h"))
    o.half = isa::Half::High;
  if (text.consume_front("v"))
    o.file = isa::RegisterFile::VGPR;
  else if (text.consume_front("s"))
    o.file = isa::RegisterFile::SGPR;
  else if (text.consume_front("a"))
    o.file = isa::RegisterFile::AGPR;
  else
    return false;
  unsigned first = 0, last = 0;
  if (text.consume_front("[")) {
    if (!text.consume_back("]"))
      return false;
    auto [low, high] = text.split(':');
    if (low.getAsInteger(10, first) || high.getAsInteger(10, last) || last < first || last - first > 31)
      return false;
  } else {
    if (text.empty() || text.getAsInteger(10, first))
      return false;
    last = first;
  }
  o.index = static_cast<uint16_t>(first);
  o.width = static_cast<uint8_t>(last - first + 1);
  return true;
}

AsmOperand readOperand(llvm::StringRef text, bool verbatim) {
  if (verbatim)
    return AsmOperand::ofSymbol(text.str());
  AsmOperand o;
  llvm::StringRef inner = text;
  if (inner.consume_front("sext(") && inner.consume_back(")"))
    o.sext = true;
  else
    inner = text;
  const bool isNumber = inner.size() > 1 && inner[0] == '-' && llvm::isDigit(inner[1]);
  if (!isNumber && inner.consume_front("-"))
    o.neg = true;
  if (inner.size() > 2 && inner.starts_with("|") && inner.ends_with("|"))
    inner = inner.drop_front().drop_back(), o.abs = true;
  AsmOperand known = o;
  if (readRegister(inner, known))
    return known;
  if (int64_t value; !inner.getAsInteger(0, value)) {
    o.kind = AsmOperand::Kind::Integer;
    o.integer = value;
    return o;
  }
  if (double value; inner.contains('.') && !inner.getAsDouble(value)) {
    o.kind = AsmOperand::Kind::Float;
    o.number = value;
    return o;
  }
  o.kind = AsmOperand::Kind::Symbol;
  o.symbol = inner.str();
  return o;
}

std::optional<AsmModifier> readModifier(llvm::StringRef text) {
  auto [name, value] = text.split(':');
  if (name.empty() || !llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
    return std::nullopt;
  AsmModifier m{name.str(), true};
  if (!text.contains(':'))
    return m;
  if (int64_t number; !value.getAsInteger(0, number)) {
    m.value = number;
    return m;
  }
  if (value.starts_with("[") && value.ends_with("]")) {
    std::vector<int64_t> numbers;
    bool all = true;
    for (llvm::StringRef part : splitOutside(value.drop_front().drop_back(), ',')) {
      int64_t number = 0;
      all &= !part.getAsInteger(0, number);
      numbers.push_back(number);
    }
    if (all) {
      m.value = std::move(numbers);
      return m;
    }
  }
  m.value = value.str();
  return m;
}

/// `vmcnt(0) lgkmcnt(1)`, `instid0(VALU_DEP_1) | instskip(NEXT)`
bool readFields(llvm::StringRef text, AsmInstruction &i) {
  llvm::SmallVector<llvm::StringRef, 4> words;
  llvm::SplitString(text, words, " |&");
  for (llvm::StringRef word : words) {
    auto [name, value] = word.split('(');
    if (!value.consume_back(")"))
      return false;
    AsmModifier m{name.str(), value.str()};
    if (int64_t number; !value.getAsInteger(0, number))
      m.value = number;
    i.modifiers.push_back(std::move(m));
  }
  return !i.modifiers.empty();
}

} // namespace

std::optional<AsmInstruction> readInstruction(llvm::StringRef text, bool verbatim) {
  auto [whole, second] = text.split(" :: ");
  AsmInstruction i;
  auto [name, rest] = whole.trim().split(' ');
  i.name = name.str();
  rest = rest.trim();
  if (!second.empty()) {
    auto half = readInstruction(second, verbatim);
    if (!half)
      return std::nullopt;
    i.second = std::make_shared<AsmInstruction>(std::move(*half));
  }
  if (isa::hasNamedFields(i.name) && rest.contains('('))
    return readFields(rest, i) ? std::optional(i) : std::nullopt;
  if (rest.empty())
    return i;
  auto parts = splitOutside(rest, ',');
  for (size_t k = 0; k < parts.size(); ++k) {
    if (k + 1 < parts.size()) {
      i.operands.push_back(readOperand(parts[k], verbatim));
      continue;
    }
    auto words = splitOutside(parts[k], ' ');
    bool first = true;
    for (llvm::StringRef word : words) {
      if (word.empty())
        continue;
      // An instruction without operands may have modifiers.
      const bool isModifier = !first || (parts.size() == 1 && word.contains(':') && !word.contains('['));
      first = false;
      if (!isModifier) {
        i.operands.push_back(readOperand(word, verbatim));
        continue;
      }
      auto m = readModifier(word);
      if (!m)
        return std::nullopt;
      i.modifiers.push_back(std::move(*m));
    }
  }
  return i;
}

} // namespace fly::assembly
