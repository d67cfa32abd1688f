#include "compiler/isa/Meanings.h"

#include "compiler/isa/MeaningPatterns.h"

namespace fly::isa {

std::string meaningOf(llvm::StringRef name) {
  llvm::StringRef rest = name;
  if (rest.consume_front("v_")) {
    rest.consume_front("dual_"); // one of two instructions in one: the same
    if (rest.consume_front("cvt_")) return conversionMeaning(rest);
    if (std::string meaning = vectorMeaning(rest); !meaning.empty()) return meaning;
    return matrixMeaning(rest);
  }
  if (rest.consume_front("s_")) {
    if (rest.consume_front("cvt_")) return conversionMeaning(rest);
    if (std::string meaning = scalarMeaning(rest); !meaning.empty()) return meaning;
    return scalarMemoryMeaning(name);
  }
  return name.starts_with("ds_") ? ldsMeaning(name) : vectorMemoryMeaning(name);
}

} // namespace fly::isa
