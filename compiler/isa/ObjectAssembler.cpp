#include "compiler/isa/ObjectAssembler.h"

#include "compiler/isa/Machine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace fly::isa {

llvm::Expected<std::string> assembleObject(llvm::StringRef architecture, llvm::StringRef text, unsigned waveSize) {
  auto made = Machine::create(architecture, waveSize);
  if (!made) return made.takeError();
  Machine &machine = **made;
  llvm::SourceMgr sources;
  std::string errors;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic &diagnostic, void *to) {
        if (diagnostic.getKind() != llvm::SourceMgr::DK_Error) return;
        auto &all = *static_cast<std::string *>(to);
        all += (all.empty() ? "line " : "\nline ") + std::to_string(diagnostic.getLineNo()) + ": " +
               diagnostic.getMessage().str();
      },
      &errors);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "assembly"), llvm::SMLoc());
  llvm::MCContext context(machine.triple, machine.asmInfo.get(), machine.registers.get(), machine.subtarget.get(),
                          &sources, &machine.options);
  std::unique_ptr<llvm::MCObjectFileInfo> sections(machine.target->createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(sections.get());
  std::unique_ptr<llvm::MCAsmBackend> backend(
      machine.target->createMCAsmBackend(*machine.subtarget, *machine.registers, machine.options));
  std::unique_ptr<llvm::MCCodeEmitter> emitter(machine.target->createMCCodeEmitter(*machine.instructions, context));
  if (!backend || !emitter) return makeError("this LLVM was built without the AMDGPU assembler");
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream out(bytes);
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(out);
  std::unique_ptr<llvm::MCStreamer> streamer(machine.target->createMCObjectStreamer(
      machine.triple, context, std::move(backend), std::move(writer), std::move(emitter), *machine.subtarget));
  std::unique_ptr<llvm::MCAsmParser> parser(createMCAsmParser(sources, context, *streamer, *machine.asmInfo));
  std::unique_ptr<llvm::MCTargetAsmParser> targetParser(
      machine.target->createMCAsmParser(*machine.subtarget, *parser, *machine.instructions, machine.options));
  if (!targetParser) return makeError("this LLVM was built without the AMDGPU assembler");
  parser->setTargetParser(*targetParser);
  if (parser->Run(/*NoInitialTextSection=*/false) || !errors.empty())
    return makeError(errors.empty() ? "the assembler refused the file" : errors);
  return std::string(bytes);
}

std::string quotedText(llvm::StringRef text) {
  std::string out = "\"";
  for (char c : text)
    if (c == '"' || c == '\\') out += {'\\', c};
    else if (llvm::isPrint(c)) out += c;
    else out += {'\\', char('0' + (uint8_t(c) >> 6)), char('0' + (uint8_t(c) >> 3 & 7)), char('0' + (c & 7))};
  return out + "\"";
}

} // namespace fly::isa
