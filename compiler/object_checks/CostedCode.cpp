// See CostedCode.h.
#include "compiler/object_checks/CostedCode.h"

#include "compiler/isa/Decoder.h"
#include "compiler/isa/InstructionClasses.h"
#include "compiler/object_checks/PlacedCode.h"

namespace fly::driver {

std::optional<CostedCode> costedCode(const isa::CodeObject &object, const isa::Kernel &kernel) {
  auto code = placedCode(object, kernel);
  if (!code)
    return std::nullopt;
  auto decoder = llvm::cantFail(isa::Decoder::create(object.architecture(), kernel.waveSize)); // it has read the code
  CostedCode out;
  emulator::Trace trace; // its code alone
  for (const isa::Instruction &each : *code) {
    trace.code.push_back({each, decoder->print(each), {}, {}, false});
    out.mnemonics.push_back(isa::mnemonic(trace.code.back().text).str());
  }
  for (emulator::Cost cost : emulator::costsOf(trace, *emulator::machineOf(object.architecture()), kernel.waveSize)) {
    cost.ranges = nullptr; // they end with the trace
    out.costs.push_back(cost);
  }
  out.instructions = std::move(*code);
  return out;
}

std::optional<SourceRange> lineAt(const SourceManager &sources, const std::function<std::string(FileId)> &fileName,
                                  const isa::CodeObject &object, uint32_t file, uint32_t line) {
  if (file >= object.files().size())
    return std::nullopt;
  for (FileId each = 1; each <= sources.fileCount(); ++each)
    if (fileName(each) == object.files()[file]) {
      llvm::StringRef text = sources.line(each, line).trim();
      const auto begin = uint32_t(text.data() - sources.text(each).data());
      return SourceRange{each, begin, begin + uint32_t(text.size())};
    }
  return std::nullopt;
}

} // namespace fly::driver
