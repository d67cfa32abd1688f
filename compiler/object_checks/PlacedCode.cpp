// See PlacedCode.h.
#include "compiler/object_checks/PlacedCode.h"

#include "compiler/isa/Decoder.h"

namespace fly::driver {

std::optional<std::vector<isa::Instruction>> placedCode(const isa::CodeObject &object, const isa::Kernel &kernel) {
  auto decoder = isa::Decoder::create(object.architecture(), kernel.waveSize);
  auto code = decoder ? (*decoder)->decodeKernel(object.text(kernel), kernel.entry)
                      : llvm::Expected<std::vector<isa::Instruction>>(decoder.takeError());
  if (!code) {
    llvm::consumeError(code.takeError());
    return std::nullopt;
  }
  object.attachLocations(*code);
  return std::move(*code);
}

} // namespace fly::driver
