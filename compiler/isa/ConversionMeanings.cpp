// Meanings of conversions: v_cvt_* and s_cvt_*.
//
// The result's type comes first in a name. What is before it says how many numbers are converted (pk, pk8, 2xpk16), how
// they are rounded (sr: with random bits) and that they are scaled. Those with a scale have one grammar:
//
//     scalef32_[sr_][pkN_]TO_FROM      a / 2^e, or a * 2^e where TO is the wider type; e is the exponent of an f32
//     scale_pkN_TO_FROM                gfx1250, to wider types: a * the scale that scale_sel finds in b
#include "compiler/isa/MeaningPatterns.h"

namespace fly::isa {

namespace {

constexpr MeaningRow rows[] = {
    // to integers
    {"norm_i16_F", "d = the {1} a, clamped to -1 and 1, times 32767 as i16, rounded to nearest even"},
    {"norm_u16_F", "d = the {1} a, clamped to 0 and 1, times 65535 as u16, rounded to nearest even"},
    {"pknorm_i16_F", "d = the {1} a and b, clamped to -1 and 1, times 32767 as i16, rounded to nearest even, packed"},
    {"pknorm_u16_F", "d = the {1} a and b, clamped to 0 and 1, times 65535 as u16, rounded to nearest even, packed"},
    {"pk_norm_i16_F", "d = the {1} a and b, clamped to -1 and 1, times 32767 as i16, rounded to nearest even, packed"},
    {"pk_norm_u16_F", "d = the {1} a and b, clamped to 0 and 1, times 65535 as u16, rounded to nearest even, packed"},
    {"flr|floor_i32_f32", "d = the f32 a as i32, rounded down, saturated"},
    {"rpi|nearest_i32_f32", "d = the f32 a as i32, rounded to nearest, ties up, saturated"},
    {"pk_u8_f32", "d = c with byte b replaced by the f32 a as u8, rounded to nearest even, saturated"},
    {"pkaccum_u8_f32", "byte b of d = the f32 a as u8, rounded to nearest even, saturated"},
    {"pk_I_F", "d = the {2} a and b as {1}, rounded towards zero, saturated, packed"},
    {"pk_I_I", "d = the {2} a and b as {1}, saturated, packed"},
    {"i32_i16", "d = the i16 a as i32, sign-extended"},
    {"u32_u16", "d = the u16 a as u32, zero-extended"},
    {"I_F", "d = the {2} a as {1}, rounded towards zero, saturated"},
    // to floats
    {"off_f32_i4", "d = the i4 a / 16 as f32"},
    {"f32_ubyte0", "d = byte 0 of a as f32"},
    {"f32_ubyte1", "d = byte 1 of a as f32"},
    {"f32_ubyte2", "d = byte 2 of a as f32"},
    {"f32_ubyte3", "d = byte 3 of a as f32"},
    {"hi_f32_f16", "d = the f16 in the high half of a as f32"},
    {"f32_f16", "d = the f16 a as f32, exactly"},
    {"f32_bf16", "d = the bf16 a as f32, exactly"},
    {"f64_f32", "d = the f32 a as f64, exactly"},
    {"f64_I", "d = the {1} a as f64, exactly"},
    {"F_F", "d = the {2} a as {1}, rounded as MODE says"},
    {"F_I", "d = the {2} a as {1}, rounded as MODE says"},
    {"pk_rtz_f16_f32", "d = the f32 a and b as f16, rounded towards zero, packed"},
    {"pkrtz_f16_f32", "d = the f32 a and b as f16, rounded towards zero, packed"},
    {"pk_F_F", "d = the {2} a and b as {1}, rounded to nearest even, packed"},
    {"sr_F_f32", "one half of d = the f32 a as {1}, rounded by the random bits b"},
    {"sr_pk_F_f32", "d = the f32 a and b as {1}, rounded by the random bits c, packed"},
    // 8 bits
    {"F_fp8|bf8", "d = the {from} in one byte of a as {1}, exactly"},
    {"pk_F_fp8|bf8", "d = the two {from} in one half of a as {1}, exactly"},
    {"pk_fp8|bf8_f32", "one half of d = the f32 a and b as {to}, rounded to nearest even"},
    {"pk_fp8|bf8_f16", "one half of d = both f16 of a as {to}, rounded to nearest even"},
    {"sr_fp8|bf8_F", "one byte of d = the {1} a as {to}, rounded by the random bits b"},
};

bool isTiny(llvm::StringRef type) {
  return type.consume_front("b") ? type.starts_with("f") && type != "f16" : type.starts_with("fp");
}

/// After `scalef32_` or `scale_`.
std::string scaled(llvm::StringRef name, bool hasPackedScales) {
  auto words = wordsOf(name);
  llvm::ArrayRef<llvm::StringRef> rest = words;
  const bool stochastic = rest.front() == "sr";
  if (stochastic) rest = rest.drop_front();
  unsigned count = 1;
  bool fromBoth = false; // a and b have them in turn
  if (rest.size() == 3) {
    llvm::StringRef many = rest.front();
    fromBoth = many.consume_front("2x");
    if (!many.consume_front("pk") || (many.empty() ? (count = 2, false) : many.getAsInteger(10, count))) return "";
    if (fromBoth) count *= 2;
    rest = rest.drop_front();
  }
  if (rest.size() != 2 || !isTypeWord(rest[0]) || !isTypeWord(rest[1])) return "";
  const llvm::StringRef to = rest[0], from = rest[1];
  const bool narrows = isTiny(to);
  const bool twoSources = fromBoth || (narrows && !stochastic && count == 2 && from == "f32");
  std::string text = "d = ";
  if (narrows && count <= 2) text = to == "fp4" || count == 1 ? "one byte of d = " : "one half of d = ";
  else if (to != "f32" && count == 1) text = "one half of d = ";
  if (count == 1) text += narrows ? "the " + from.str() + " a" : "the " + from.str() + " in one byte of a";
  else if (twoSources && !fromBoth) text += "the " + from.str() + " a and b";
  else text += numberWord(count) + " " + from.str() + (fromBoth ? " of a and b in turn" : " of a");
  if (hasPackedScales) return text + " times the scale in b that scale_sel selects, as " + to.str();
  const char *scale = stochastic || twoSources ? "c" : "b";
  text += std::string(narrows ? " / " : " * ") + "2^e as " + to.str() + ", e being the exponent of the f32 " + scale;
  return text + (stochastic ? ", rounded by the random bits b" : narrows ? ", rounded to nearest even" : "");
}

} // namespace

std::string conversionMeaning(llvm::StringRef name) {
  if (name.consume_front("scalef32_")) return scaled(name, false);
  if (name.consume_front("scale_")) return scaled(name, true);
  std::string meaning = meaningIn(rows, name);
  const auto words = wordsOf(name);
  if (words.size() < 2) return meaning;
  return filled(filled(meaning, "from", words.back()), "to", words[words.size() - 2]);
}

} // namespace fly::isa
