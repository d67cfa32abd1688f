#include "compiler/isa/MeaningPatterns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace fly::isa {

namespace {

using Words = llvm::ArrayRef<llvm::StringRef>;

constexpr llvm::StringLiteral floats[] = {"f16", "f32", "f64", "bf16"};
constexpr llvm::StringLiteral integers[] = {"i8", "u8", "i16", "u16", "i24", "u24", "i32", "u32", "i64", "u64"};
constexpr llvm::StringLiteral others[] = {"b8",  "b16", "b32", "b64", "b96", "b128", "i4", "u4",   "iu4",
                                          "iu8", "fp8", "bf8", "fp6", "bf6", "fp4",  "f4", "xf32", "f8f6f4"};

struct ConditionRow {
  const char *word, *text;
};
constexpr ConditionRow conditions[] = {
    {"lt", "a < b"},
    {"le", "a <= b"},
    {"eq", "a == b"},
    {"ne", "a != b"},
    {"ge", "a >= b"},
    {"gt", "a > b"},
    {"lg", "a < b or a > b"},
    {"o", "neither a nor b is a NaN"},
    {"u", "a or b is a NaN"},
    {"nlt", "not a < b"},
    {"nle", "not a <= b"},
    {"neq", "not a == b"},
    {"nge", "not a >= b"},
    {"ngt", "not a > b"},
    {"nlg", "neither a < b nor a > b"},
};

bool isOneOf(llvm::StringRef word, llvm::StringRef alternatives) {
  while (!alternatives.empty()) {
    auto [first, rest] = alternatives.split('|');
    if (first == word) return true;
    alternatives = rest;
  }
  return false;
}

/// What the word of the pattern catches; null if it does not fit. Literals catch nothing, which is "".
const char none[] = "";
llvm::StringRef caughtBy(llvm::StringRef pattern, llvm::StringRef word) {
  const llvm::StringRef nothing(none, 0);
  if (pattern == "T") return isTypeWord(word) ? word : llvm::StringRef();
  if (pattern == "F") return isFloatWord(word) ? word : llvm::StringRef();
  if (pattern == "I") return isIntegerWord(word) ? word : llvm::StringRef();
  if (pattern == "B") return word == "b32" || word == "b64" ? word.drop_front() : llvm::StringRef();
  if (pattern == "C") return conditionOf(word);
  return isOneOf(word, pattern) ? nothing : llvm::StringRef();
}

bool fits(Words pattern, Words name, llvm::SmallVectorImpl<llvm::StringRef> &caught) {
  if (pattern.empty()) return name.empty();
  llvm::StringRef first = pattern.front();
  if (first.consume_back("?")) {
    if (!name.empty() && first == name.front() && fits(pattern.drop_front(), name.drop_front(), caught)) return true;
    return fits(pattern.drop_front(), name, caught);
  }
  if (name.empty()) return false;
  const llvm::StringRef word = caughtBy(first, name.front());
  if (!word.data()) return false;
  const size_t before = caught.size();
  if (!word.empty()) caught.push_back(word);
  if (fits(pattern.drop_front(), name.drop_front(), caught)) return true;
  caught.truncate(before);
  return false;
}

} // namespace

llvm::SmallVector<llvm::StringRef, 8> wordsOf(llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 8> words;
  name.split(words, '_');
  return words;
}

std::string filled(llvm::StringRef text, llvm::StringRef key, llvm::StringRef value) {
  const std::string slot = "{" + key.str() + "}";
  std::string result = text.str();
  for (size_t at = result.find(slot); at != std::string::npos; at = result.find(slot, at + value.size()))
    result.replace(at, slot.size(), value.str());
  return result;
}

std::string meaningIn(llvm::ArrayRef<MeaningRow> rows, llvm::StringRef name) {
  const auto words = wordsOf(name);
  for (const MeaningRow &row : rows) {
    llvm::SmallVector<llvm::StringRef, 4> caught;
    if (!fits(wordsOf(row.pattern), words, caught)) continue;
    std::string phrase = row.phrase;
    for (auto [n, word] : llvm::enumerate(caught)) phrase = filled(phrase, std::to_string(n + 1), word);
    return phrase;
  }
  return "";
}

bool isFloatWord(llvm::StringRef word) { return llvm::is_contained(floats, word); }
bool isIntegerWord(llvm::StringRef word) { return llvm::is_contained(integers, word); }
bool isTypeWord(llvm::StringRef word) {
  return isFloatWord(word) || isIntegerWord(word) || llvm::is_contained(others, word);
}

llvm::StringRef conditionOf(llvm::StringRef word) {
  for (const ConditionRow &row : conditions)
    if (word == row.word) return row.text;
  return {};
}

std::string numberWord(unsigned number) {
  static constexpr const char *words[] = {"no",   "one", "two", "three", "four", "five", "six", "seven", "eight",
                                          "nine", "ten", "11",  "12",    "13",   "14",   "15",  "16"};
  return number < std::size(words) ? words[number] : std::to_string(number);
}

} // namespace fly::isa
