#include "compiler/isa/ExampleText.h"

#include "llvm/ADT/STLExtras.h"

namespace fly::isa {

namespace {

/// Pieces between commas that are in no bracket; the last one up to its first blank, the rest being modifiers.
AsmOperand operandOf(llvm::StringRef text) {
  llvm::StringRef rest = text;
  const auto *files = "sva";
  const size_t file = rest.empty() ? llvm::StringRef::npos : llvm::StringRef(files).find(rest[0]);
  if (file != llvm::StringRef::npos) {
    rest = rest.drop_front();
    unsigned first = 0, last = 0;
    const bool isTuple = rest.consume_front("[");
    if (!rest.consumeInteger(10, first)) {
      last = first;
      if (isTuple && rest.consume_front(":") && rest.consumeInteger(10, last)) return AsmOperand::ofSymbol(text.str());
      if (isTuple) rest.consume_front("]");
      AsmOperand o = AsmOperand::ofRegister(static_cast<RegisterFile>(file), first, last - first + 1);
      if (rest == ".l" || rest == ".h") o.half = rest == ".l" ? Half::Low : Half::High, rest = "";
      if (rest.empty()) return o;
    }
  }
  int64_t number = 0;
  if (!text.getAsInteger(0, number)) return AsmOperand::ofInteger(number);
  return AsmOperand::ofSymbol(text.str());
}

llvm::SmallVector<llvm::StringRef, 8> splitOutsideBrackets(llvm::StringRef text, char separator) {
  llvm::SmallVector<llvm::StringRef, 8> pieces;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '[' || text[i] == '(')) ++depth;
    if (i < text.size() && (text[i] == ']' || text[i] == ')')) --depth;
    if (i < text.size() && (depth != 0 || text[i] != separator)) continue;
    if (llvm::StringRef piece = text.slice(begin, i).trim(); !piece.empty()) pieces.push_back(piece);
    begin = i + 1;
  }
  return pieces;
}

} // namespace

AsmInstruction parseExample(llvm::StringRef text) {
  AsmInstruction instruction;
  std::string clean; // of the printer's complaints, `/*Invalid register, ...*/`
  while (!text.empty()) {
    auto [before, after] = text.split("/*");
    clean += before;
    text = after.split("*/").second;
  }
  text = clean;
  text = text.trim();
  instruction.name = text.take_until([](char c) { return c == ' ' || c == '\t'; }).str();
  text = text.drop_front(instruction.name.size()).trim();
  if (hasNamedFields(instruction.name)) {
    instruction.operands.push_back(AsmOperand::ofInteger(0));
    return instruction;
  }
  auto pieces = splitOutsideBrackets(text, ',');
  for (auto [n, piece] : llvm::enumerate(pieces)) {
    auto words = splitOutsideBrackets(piece, ' ');
    const bool isLast = n + 1 == pieces.size();
    llvm::ArrayRef<llvm::StringRef> rest = words;
    // Without operands, the first word is a modifier: `ds_gws_sema_v gds`. `mrt0 off` of exports is two operands' text.
    const bool isModifier = pieces.size() == 1 && (rest.front() == "gds" || rest.front().split(':').second != "") &&
                            !rest.front().contains('[');
    if (!isModifier) {
      instruction.operands.push_back(operandOf(rest.front()));
      rest = rest.drop_front();
      if (instruction.name == "export" && n == 0 && !rest.empty()) {
        instruction.operands.back() = AsmOperand::ofSymbol(piece.str());
        rest = {};
      }
    }
    if (isLast)
      for (llvm::StringRef word : rest) instruction.modifiers.push_back({word.str(), true});
  }
  return instruction;
}

std::vector<AsmInstruction> withFormats(const AsmInstruction &example) {
  struct Format {
    unsigned width;
    const char *mfma, *wmma; ///< null: needs nothing
  };
  static constexpr Format formats[] = {{8, nullptr, nullptr}, {6, "2", "MATRIX_FMT_FP6"}, {4, "4", "MATRIX_FMT_FP4"}};
  const bool isMfma = llvm::StringRef(example.name).starts_with("v_mfma");
  std::vector<AsmInstruction> all;
  for (const Format &a : formats)
    for (const Format &b : formats) {
      AsmInstruction one = example;
      one.modifiers.clear();
      for (auto [place, format] : {std::make_pair(1u, &a), std::make_pair(2u, &b)}) {
        one.operands[place].width = static_cast<uint8_t>(format->width * (isMfma ? 1 : 2));
        const char *modifier = place == 1 ? (isMfma ? "cbsz:" : "matrix_a_fmt:") : isMfma ? "blgp:" : "matrix_b_fmt:";
        if (const char *value = isMfma ? format->mfma : format->wmma)
          one.modifiers.push_back({std::string(modifier) + value, true});
      }
      all.push_back(std::move(one));
    }
  return all;
}

} // namespace fly::isa
