// Private: patterns of instruction names, and phrases with what they caught.
//
//     {"mad_I_I", "d = a * b + c, {2} factors, {1}"}          v_mad_u32_u24   d = a * b + c, u24 factors, u32
//
// A pattern is compared word by word, the words being what is between underscores. A word of the pattern is
//
//     T           a type: f32, bf16, i8, u24, b64, fp8, ...         caught: it
//     F, I        a type of floats; of integers (i16, u32)          caught: it
//     B           b32, b64                                          caught: "32", "64"
//     C           a condition: lt, nge, o, ...                      caught: "a < b", "not a >= b", ...
//     x|y         one of these words
//     w?          this word or none
//     other       this word
//
// {1}, {2} of the phrase are what was caught, in order.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace fly::isa {

struct MeaningRow {
  const char *pattern, *phrase;
};

/// The phrase of the first row whose pattern fits, filled in; empty if none fits.
std::string meaningIn(llvm::ArrayRef<MeaningRow> rows, llvm::StringRef name);
/// The words of a name.
llvm::SmallVector<llvm::StringRef, 8> wordsOf(llvm::StringRef name);
/// `text` with all `{key}` replaced.
std::string filled(llvm::StringRef text, llvm::StringRef key, llvm::StringRef value);

bool isTypeWord(llvm::StringRef word);
bool isFloatWord(llvm::StringRef word);
bool isIntegerWord(llvm::StringRef word);
/// "a < b" of "lt"; empty if it is not a condition.
llvm::StringRef conditionOf(llvm::StringRef word);
/// "one", "two", ... up to "ten"; digits beyond.
std::string numberWord(unsigned number);

// The meaning by family; empty if it has no instruction of this name.

/// By the name without `v_` or `s_`, and `cvt_`: `v_add_f32` is "add_f32".
std::string vectorMeaning(llvm::StringRef name);
std::string conversionMeaning(llvm::StringRef name);
std::string matrixMeaning(llvm::StringRef name);
std::string scalarMeaning(llvm::StringRef name);
/// By the whole name.
std::string scalarMemoryMeaning(llvm::StringRef name);
std::string vectorMemoryMeaning(llvm::StringRef name);
std::string ldsMeaning(llvm::StringRef name);
/// "{0} = {0} + data, u32, atomically" for "add", "x2" or "u32", ...: {0} is the place. Empty if it is not an atomic
/// operation.
std::string atomicPhrase(llvm::ArrayRef<llvm::StringRef> words);

} // namespace fly::isa
