// The name after its prefix is RESULT_MxNxK[_BLOCKSb]_TYPES; gfx908 and gfx90a write MxNxKTYPE.
#include "compiler/report/MatrixInstruction.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace fly::report {

namespace {

/// "32x32x8_f16": its three numbers; the rest is what follows.
bool takeShape(llvm::StringRef &text, MatrixInstruction &to) {
  llvm::StringRef rest = text;
  if (rest.consumeInteger(10, to.m) || !rest.consume_front("x") || rest.consumeInteger(10, to.n) ||
      !rest.consume_front("x") || rest.consumeInteger(10, to.k))
    return false;
  text = rest;
  return true;
}

/// The bits of an element type: the first number in its name; of xf32 32.
unsigned bitsOf(llvm::StringRef type) {
  unsigned bits = 0;
  type.drop_until([](char c) { return llvm::isDigit(c); }).consumeInteger(10, bits);
  return bits;
}

const char *formatName(unsigned format) {
  static constexpr const char *names[] = {"fp8", "bf8", "fp6", "bf6", "fp4"};
  return format < std::size(names) ? names[format] : "?";
}

} // namespace

MatrixInstruction matrixInstruction(const isa::Instruction &i, llvm::StringRef mnemonic) {
  MatrixInstruction out;
  out.mnemonic = mnemonic.str();
  out.sparse = mnemonic.starts_with("v_smfmac") || mnemonic.starts_with("v_swmmac");
  llvm::StringRef rest = mnemonic;
  for (;;) { // the first word that begins with three numbers
    size_t next = rest.find('_');
    if (next == rest.npos)
      return out;
    rest = rest.drop_front(next + 1);
    if (takeShape(rest, out))
      break;
    out.m = out.n = out.k = 0;
  }
  llvm::SmallVector<llvm::StringRef, 4> words;
  rest.split(words, '_', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    unsigned blocks;
    if (word.ends_with("b") && !word.drop_back().getAsInteger(10, blocks))
      out.blocks = blocks;
    else if (word != "1k") // v_mfma_f32_32x32x8bf16_1k
      (out.a.empty() ? out.a : out.b) = word.str();
  }
  if (out.a == "f8f6f4") {
    const bool wmma = i.form == isa::Form::WMMA;
    out.a = formatName(wmma ? i.modifiers.matrixAFormat : i.modifiers.cbsz);
    out.b = formatName(wmma ? i.modifiers.matrixBFormat : i.modifiers.blgp);
    out.blocks = 1;
  }
  if (out.b.empty())
    out.b = out.a;
  if (!out.blocks) {
    out.blocks = 1;
    // An MFMA's A fills its registers: 64 lanes hold M * K elements of each block.
    const isa::Operand *a = i.find(isa::Role::Src0);
    const unsigned bits = bitsOf(out.a);
    if (i.form == isa::Form::MFMA && !out.sparse && a && a->isRegister() && bits)
      out.blocks = std::max(1u, 64 * a->width * 32 / bits / (out.m * out.k));
  }
  return out;
}

} // namespace fly::report
