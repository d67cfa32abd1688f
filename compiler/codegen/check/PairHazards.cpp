// See PairHazards.h.
#include "compiler/codegen/check/PairHazards.h"

#include "compiler/codegen/check/FunctionCode.h"
#include "compiler/isa/Decoder.h"
#include "compiler/isa/HazardPaths.h"

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
  for (const FunctionCode &function : functionsOf(**file)) {
    auto list = (*decoder)->decodeKernel(function.bytes, function.begin);
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
