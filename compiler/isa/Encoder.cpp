// Encodes by LLVM's MCCodeEmitter; assembles by its parser with a streamer that keeps what it is given.
//
// The parser needs a complete assembler around it: a source manager, a context, a streamer with a target streamer. Each
// call of `assemble` builds its own, because a context remembers symbols and errors of earlier text.
#include "compiler/isa/Encoder.h"

#include "compiler/isa/Machine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Support/SourceMgr.h"

namespace fly::isa {

struct Encoder::Impl {
  std::unique_ptr<Machine> machine;
  std::unique_ptr<llvm::MCCodeEmitter> emitter;

  llvm::Expected<Encoding> encode(const llvm::MCInst &inst) {
    llvm::SmallVector<char, 32> bytes;
    llvm::SmallVector<llvm::MCFixup, 2> fixups;
    emitter->encodeInstruction(inst, bytes, fixups, *machine->subtarget);
    if (!fixups.empty()) return makeError("the instruction refers to a symbol, which has no address yet");
    return Encoding(bytes.begin(), bytes.end());
  }
};

namespace {

/// Keeps instructions; sections, symbols and directives have no effect.
class KeepingStreamer final : public llvm::MCStreamer {
public:
  explicit KeepingStreamer(llvm::MCContext &context) : MCStreamer(context) {}
  std::vector<llvm::MCInst> kept;
  void emitInstruction(const llvm::MCInst &inst, const llvm::MCSubtargetInfo &) override { kept.push_back(inst); }
  bool emitSymbolAttribute(llvm::MCSymbol *, llvm::MCSymbolAttr) override { return true; }
  void emitCommonSymbol(llvm::MCSymbol *, uint64_t, llvm::Align) override {}
};

} // namespace

Encoder::Encoder(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Encoder::~Encoder() = default;

llvm::Expected<std::unique_ptr<Encoder>> Encoder::create(llvm::StringRef architecture, unsigned waveSize) {
  auto machine = Machine::create(architecture, waveSize);
  if (!machine) return machine.takeError();
  auto impl = std::make_unique<Impl>();
  impl->machine = std::move(*machine);
  impl->emitter.reset(
      impl->machine->target->createMCCodeEmitter(*impl->machine->instructions, *impl->machine->context));
  if (!impl->emitter) return makeError("this LLVM was built without the AMDGPU encoder");
  return std::unique_ptr<Encoder>(new Encoder(std::move(impl)));
}

llvm::Expected<Encoding> Encoder::encode(const llvm::MCInst &inst) { return impl->encode(inst); }

llvm::Expected<Encoding> Encoder::encode(const Instruction &inst) {
  llvm::MCInst mc;
  uint64_t size = 0;
  auto bytes = llvm::ArrayRef(inst.bytes).take_front(inst.size);
  if (!impl->machine->disassemble(bytes, inst.address, mc, size))
    return makeError("no instruction at 0x" + llvm::utohexstr(inst.address, true));
  return impl->encode(mc);
}

llvm::Expected<std::vector<Encoding>> Encoder::assemble(llvm::StringRef text) {
  Machine &machine = *impl->machine;
  llvm::SourceMgr sources;
  std::string errors;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic &diagnostic, void *to) {
        std::string line = std::to_string(diagnostic.getLineNo()) + ": " + diagnostic.getMessage().str();
        auto &all = *static_cast<std::string *>(to);
        all += (all.empty() ? "line " : "\nline ") + line;
      },
      &errors);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, "assembly"), llvm::SMLoc());
  llvm::MCContext context(machine.triple, machine.asmInfo.get(), machine.registers.get(), machine.subtarget.get(),
                          &sources);
  std::unique_ptr<llvm::MCObjectFileInfo> sections(machine.target->createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(sections.get());
  KeepingStreamer streamer(context);
  machine.target->createNullTargetStreamer(streamer);
  std::unique_ptr<llvm::MCAsmParser> parser(createMCAsmParser(sources, context, streamer, *machine.asmInfo));
  std::unique_ptr<llvm::MCTargetAsmParser> targetParser(
      machine.target->createMCAsmParser(*machine.subtarget, *parser, *machine.instructions, machine.options));
  if (!targetParser) return makeError("this LLVM was built without the AMDGPU assembler");
  parser->setTargetParser(*targetParser);
  if (parser->Run(/*NoInitialTextSection=*/false) || !errors.empty()) return makeError(errors);
  std::vector<Encoding> result;
  for (const llvm::MCInst &inst : streamer.kept) {
    auto code = impl->encode(inst);
    if (!code) return code.takeError();
    result.push_back(std::move(*code));
  }
  return result;
}

} // namespace fly::isa
