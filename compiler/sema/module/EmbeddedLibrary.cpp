// See EmbeddedLibrary.h. The table is made by cmake/Embed.cmake.
#include "compiler/sema/module/EmbeddedLibrary.h"

namespace fly::sema {

static constexpr struct { llvm::StringLiteral name, text; } modules[] = {
#include "compiler/sema/module/EmbeddedLibrary.inc"
};

std::optional<llvm::StringRef> embeddedText(llvm::StringRef path) {
  if (!isEmbedded(path) || !path.consume_back(".fly"))
    return std::nullopt;
  path = path.drop_front(embeddedLibrary.size() + 1);
  for (auto &module : modules)
    if (module.name == path)
      return llvm::StringRef(module.text);
  return std::nullopt;
}

} // namespace fly::sema
