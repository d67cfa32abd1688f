// See PinStatement.h.
#include "compiler/codegen/PinStatement.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

namespace fly::codegen {

static constexpr llvm::StringRef tag = "fly.pin ";

std::string Pinned::text() const {
  const std::string number = std::to_string(first);
  return file + (count == 1 ? number : "[" + number + ":" + std::to_string(first + count - 1) + "]");
}

std::string Pinned::statement() const {
  return tag.str() + file + " " + std::to_string(first) + " " + std::to_string(count);
}

std::optional<Pinned> parsePinned(llvm::StringRef statement) {
  if (!statement.consume_front(tag))
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

std::optional<Pinned> pinnedBy(const llvm::Value *value) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(value);
  auto *statement = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
  return statement ? parsePinned(statement->getAsmString()) : std::nullopt;
}

} // namespace fly::codegen
