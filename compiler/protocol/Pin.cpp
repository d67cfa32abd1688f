// See Pin.h.
#include "compiler/protocol/Pin.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace fly::protocol {

static constexpr llvm::StringLiteral pinTag = "fly.pin ";

std::string Pinned::text() const {
  const std::string number = std::to_string(first);
  return file + (count == 1 ? number : "[" + number + ":" + std::to_string(first + count - 1) + "]");
}

std::string Pinned::statement() const {
  return pinTag.str() + file + " " + std::to_string(first) + " " + std::to_string(count);
}

std::optional<Pinned> parsePinned(llvm::StringRef statement) {
  if (!statement.consume_front(pinTag))
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(statement, words);
  Pinned pinned;
  if (words.size() != 3 || words[0].size() != 1 || words[1].getAsInteger(10, pinned.first) ||
      words[2].getAsInteger(10, pinned.count))
    return std::nullopt;
  pinned.file = words[0].front();
  return pinned;
}

} // namespace fly::protocol
