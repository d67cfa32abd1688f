// See FunctionCode.h.
#include "compiler/codegen/check/FunctionCode.h"

#include <algorithm>
#include <optional>

namespace fly::codegen {

/// The value; nothing in place of an error.
template <typename T> static std::optional<T> valueOf(llvm::Expected<T> expected) {
  if (expected)
    return *expected;
  llvm::consumeError(expected.takeError());
  return std::nullopt;
}

std::vector<FunctionCode> functionsOf(const llvm::object::ObjectFile &file) {
  std::vector<FunctionCode> functions;
  for (const llvm::object::ELFSymbolRef symbol : llvm::cast<llvm::object::ELFObjectFileBase>(file).symbols()) {
    if (symbol.getELFType() != llvm::ELF::STT_FUNC)
      continue;
    const auto name = valueOf(symbol.getName());
    const auto section = valueOf(symbol.getSection());
    const auto begin = valueOf(symbol.getValue());
    if (!name || !section || !begin || *section == file.section_end())
      continue;
    const auto content = valueOf((*section)->getContents());
    if (!content)
      continue;
    const llvm::ArrayRef<uint8_t> bytes(reinterpret_cast<const uint8_t *>(content->data()), content->size());
    const llvm::ArrayRef<uint8_t> fromHere = bytes.slice(std::min<size_t>(*begin, bytes.size()));
    functions.push_back({*name, *begin, fromHere.take_front(symbol.getSize())});
  }
  return functions;
}

} // namespace fly::codegen
