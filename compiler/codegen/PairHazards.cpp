// See PairHazards.h.
#include "compiler/codegen/PairHazards.h"

#include "compiler/isa/Decoder.h"
#include "compiler/isa/HazardPaths.h"

#include "llvm/Object/ELFObjectFile.h"

namespace fly::codegen {

bool mayHavePairHazards(const target::Target &target) { return target.cdna5Arithmetic; }

bool hasPairHazards(llvm::StringRef bytes, const target::Target &target) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(bytes, "object"));
  auto decoder = isa::Decoder::create(target.name);
  if (!file || !decoder) {
    llvm::consumeError(file.takeError());
    llvm::consumeError(decoder.takeError());
    return false;
  }
  for (const llvm::object::ELFSymbolRef symbol : (*file)->symbols()) {
    auto section = symbol.getSection();
    auto contents = section && *section != (*file)->section_end() ? (*section)->getContents() : llvm::StringRef();
    if (!section || !contents || symbol.getELFType() != llvm::ELF::STT_FUNC) {
      llvm::consumeError(section.takeError());
      llvm::consumeError(contents.takeError());
      continue;
    }
    const uint64_t begin = llvm::cantFail(symbol.getValue());
    const llvm::StringRef code = contents->substr(begin, symbol.getSize());
    auto list = (*decoder)->decodeKernel(llvm::arrayRefFromStringRef(code), begin);
    if (!list) {
      llvm::consumeError(list.takeError());
      continue;
    }
    for (const isa::Hazard &h : isa::findHazards(*list, isa::ControlFlow(*list), target, isa::HazardBound::Manual))
      if ((*list)[h.instruction].components.size() == 2)
        return true;
  }
  return false;
}

} // namespace fly::codegen
