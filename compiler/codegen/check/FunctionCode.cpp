// See FunctionCode.h.
#include "compiler/codegen/check/FunctionCode.h"

#include "compiler/isa/Decoder.h"

#include <algorithm>
#include <optional>

namespace fly::codegen {

/// The value; nothing in place of an error.
template <typename T> static std::optional<T> valueOf(llvm::Expected<T> expected) {
  if (expected)
    return std::move(*expected);
  llvm::consumeError(expected.takeError());
  return std::nullopt;
}

/// The same of what is owned; null in place of an error.
template <typename T> static std::unique_ptr<T> valueOfUnique(llvm::Expected<std::unique_ptr<T>> expected) {
  if (expected)
    return std::move(*expected);
  llvm::consumeError(expected.takeError());
  return nullptr;
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

std::vector<DecodedFunction> decodedFunctionsOf(llvm::StringRef object, const target::Target &target) {
  std::vector<DecodedFunction> functions;
  const auto file =
      valueOfUnique(llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, "object")));
  const auto decoder = valueOfUnique(isa::Decoder::create(target.name));
  if (!file || !decoder)
    return functions;
  for (const FunctionCode &function : functionsOf(*file))
    if (auto code = valueOf(decoder->decodeKernel(function.bytes, function.begin)))
      functions.push_back({function.name.str(), std::move(*code)});
  return functions;
}

} // namespace fly::codegen
