// Meanings of matrix instructions. Their names are one grammar:
//
//     mfma_[scale_]D_MxNxK[_Bb]_A[_B]         wmma_[scale_|scale16_]D_MxNxK_A[_B]
//     smfmac_D_MxNxK_A[_B]                    swmmac_D_MxNxK_A[_B]
//
// D is the type of d and c (bf16f32: bf16 and f32), A and B those of a and b, one word if they are equal; Bb is a
// number of independent products.
#include "compiler/isa/MeaningPatterns.h"

namespace fly::isa {

namespace {

constexpr MeaningRow loads[] = {
    {"mfma_ld_scale_b32", "sets the scales of the next v_mfma_scale: a for its a, b for its b"},
    {"wmma_ld_scale_paired_b32",
     "sets the scales of the next v_wmma, one for every 32 values along k: a for its a, b for its b"},
    {"wmma_ld_scale16_paired_b64",
     "sets the scales of the next v_wmma, one for every 16 values along k: a for its a, b for its b"},
};

/// What elements are called: with the modifier that says what the name leaves open.
std::string elements(llvm::StringRef type, char operand, bool isMfma) {
  const std::string modifier = isMfma ? (operand == 'a' ? "cbsz" : "blgp") : std::string("matrix_") + operand + "_fmt";
  if (type == "f8f6f4") return "fp8, bf8, fp6, bf6 or fp4 (" + modifier + ")";
  if (type == "f4") return "fp4";
  if (type == "xf32") return "f32 with a mantissa of 10 bits";
  if (type == "iu8" || type == "iu4") return type.drop_front(2).str() + "-bit integers, signed with neg_lo";
  return type.str();
}

} // namespace

std::string matrixMeaning(llvm::StringRef name) {
  if (std::string meaning = meaningIn(loads, name); !meaning.empty()) return meaning;
  const auto words = wordsOf(name);
  llvm::ArrayRef<llvm::StringRef> rest = words;
  auto next = [&] {
    const llvm::StringRef word = rest.empty() ? "" : rest.front();
    if (!rest.empty()) rest = rest.drop_front();
    return word;
  };
  const llvm::StringRef family = next();
  if (family != "mfma" && family != "wmma" && family != "smfmac" && family != "swmmac") return "";
  const bool isMfma = family.ends_with("mfma") || family == "smfmac", isSparse = family.starts_with("s");
  unsigned scaleBlock = 0;
  if (!rest.empty() && rest.front().starts_with("scale")) scaleBlock = next() == "scale16" ? 16 : 32;
  const llvm::StringRef result = next();
  llvm::SmallVector<llvm::StringRef, 3> shape;
  next().split(shape, 'x');
  llvm::StringRef blocks;
  if (!rest.empty() && rest.front().ends_with("b") && !isTypeWord(rest.front())) blocks = next().drop_back();
  const llvm::StringRef a = next(), b = rest.empty() ? a : next();
  if (shape.size() != 3 || !isTypeWord(a) || !isTypeWord(b) || !rest.empty()) return "";
  const std::string typeOfA = elements(a, 'a', isMfma), typeOfB = elements(b, 'b', isMfma);
  std::string text = isSparse ? "d = a * b + d" : "d = a * b + c";
  text += ": " + shape[0].str() + "x" + shape[1].str() + " ";
  text += result == "bf16f32" ? "bf16 (" + std::string(isSparse ? "d is read as f32" : "c f32") + ")" : result.str();
  text += ", a " + shape[0].str() + "x" + shape[2].str();
  if (typeOfA != typeOfB) text += " " + typeOfA;
  text += (typeOfA == typeOfB ? " and b " : ", b ") + shape[2].str() + "x" + shape[1].str() + " " + typeOfB;
  if (isSparse) text += "; a is sparse, two of every four values along k, at the places in index";
  if (scaleBlock) text += "; a scale for every " + std::to_string(scaleBlock) + " values along k";
  if (!blocks.empty()) text += "; " + blocks.str() + " independent products";
  return text;
}

} // namespace fly::isa
