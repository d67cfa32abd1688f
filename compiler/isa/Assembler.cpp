// See Assembler.h. LLVM's parser is driven as its own loop over statements does it: lex the name, let the target parse
// the operands, match, emit. The streamer keeps the machine instruction.
#include "compiler/isa/Assembler.h"

#include "compiler/isa/Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCParsedAsmOperand.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Support/SourceMgr.h"

#include <cstring>
#include <map>

namespace fly::isa {

namespace {

constexpr size_t longestText = 2000;

class OneInstruction final : public llvm::MCStreamer {
public:
  explicit OneInstruction(llvm::MCContext &context) : MCStreamer(context) {}
  llvm::MCInst kept;
  unsigned count = 0;
  void emitInstruction(const llvm::MCInst &inst, const llvm::MCSubtargetInfo &) override { kept = inst, ++count; }
  bool emitSymbolAttribute(llvm::MCSymbol *, llvm::MCSymbolAttr) override { return true; }
  void emitCommonSymbol(llvm::MCSymbol *, uint64_t, llvm::Align) override {}
};

} // namespace

struct Assembler::Impl {
  std::string name;
  std::unique_ptr<Machine> machine;
  std::unique_ptr<Decoder> decoder;
  std::unique_ptr<llvm::MCCodeEmitter> emitter;
  llvm::SourceMgr sources;
  char *buffer = nullptr; ///< of `sources`, one for all texts
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCObjectFileInfo> sections;
  std::unique_ptr<OneInstruction> streamer;
  std::unique_ptr<llvm::MCAsmParser> parser;
  std::unique_ptr<llvm::MCTargetAsmParser> targetParser;
  std::string error;
  size_t errorColumn = 0;
  llvm::StringMap<bool> names; ///< what `knows` has answered
  std::map<std::pair<RegisterFile, unsigned>, unsigned> alignments;

  llvm::Error prepare();
  /// Leaves the instruction in `streamer->kept`.
  std::optional<AsmError> match(llvm::StringRef text);
  AsmResult<Encoding> assemble(llvm::StringRef text);
};

llvm::Error Assembler::Impl::prepare() {
  auto room = llvm::WritableMemoryBuffer::getNewMemBuffer(longestText + 2, "instruction");
  buffer = room->getBufferStart();
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic &diagnostic, void *to) {
        auto &self = *static_cast<Impl *>(to);
        // LLVM drops the lower half of a literal that 32 bits do not hold, and only warns.
        const bool isRounded = diagnostic.getMessage().starts_with("Can't encode literal as exact");
        if ((diagnostic.getKind() != llvm::SourceMgr::DK_Error && !isRounded) || !self.error.empty()) return;
        self.error = diagnostic.getMessage().str();
        self.errorColumn = static_cast<size_t>(std::max(0, diagnostic.getColumnNo()));
      },
      this);
  sources.AddNewSourceBuffer(std::move(room), llvm::SMLoc());
  context = std::make_unique<llvm::MCContext>(machine->triple, machine->asmInfo.get(), machine->registers.get(),
                                              machine->subtarget.get(), &sources);
  sections.reset(machine->target->createMCObjectFileInfo(*context, /*PIC=*/true));
  context->setObjectFileInfo(sections.get());
  streamer = std::make_unique<OneInstruction>(*context);
  machine->target->createNullTargetStreamer(*streamer);
  parser.reset(createMCAsmParser(sources, *context, *streamer, *machine->asmInfo));
  targetParser.reset(
      machine->target->createMCAsmParser(*machine->subtarget, *parser, *machine->instructions, machine->options));
  if (!targetParser) return makeError("this LLVM was built without the AMDGPU assembler");
  parser->setTargetParser(*targetParser);
  streamer->initSections(false, *machine->subtarget);
  return llvm::Error::success();
}

std::optional<AsmError> Assembler::Impl::match(llvm::StringRef text) {
  if (text.size() > longestText) return AsmError{"the instruction has more than 2000 characters", {}};
  std::memcpy(buffer, text.data(), text.size());
  buffer[text.size()] = 0;
  error.clear();
  errorColumn = 0;
  streamer->count = 0;
  parser->getLexer().setBuffer(llvm::StringRef(buffer, text.size()));
  parser->Lex();
  const llvm::AsmToken name = parser->getTok();
  if (name.isNot(llvm::AsmToken::Identifier)) return AsmError{"expected the name of an instruction", {}};
  const std::string lower = name.getString().lower();
  parser->Lex();
  llvm::SmallVector<std::unique_ptr<llvm::MCParsedAsmOperand>, 8> operands;
  llvm::ParseInstructionInfo info;
  bool failed = targetParser->parseInstruction(info, lower, name, operands);
  failed |= parser->hasPendingError();
  if (!failed) {
    unsigned opcode = 0;
    uint64_t detail = 0;
    failed = targetParser->matchAndEmitInstruction(name.getLoc(), opcode, operands, *streamer, detail,
                                                   /*MatchingInlineAsm=*/false);
  }
  parser->printPendingErrors();
  if (failed || !error.empty() || streamer->count != 1)
    return AsmError{error.empty() ? "this is not an instruction" : error,
                    AsmPart{AsmPart::Kind::Name, 0, false, errorColumn, errorColumn}};
  return std::nullopt;
}

AsmResult<Encoding> Assembler::Impl::assemble(llvm::StringRef text) {
  if (auto wrong = match(text)) return *wrong;
  llvm::SmallVector<char, 32> bytes;
  llvm::SmallVector<llvm::MCFixup, 2> fixups;
  emitter->encodeInstruction(streamer->kept, bytes, fixups, *machine->subtarget);
  if (!fixups.empty()) return AsmError{"the instruction refers to a symbol, which has no address", {}};
  return Encoding(bytes.begin(), bytes.end());
}

Assembler::Assembler(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Assembler::~Assembler() = default;
const std::string &Assembler::architecture() const { return impl->name; }
unsigned Assembler::waveSize() const { return impl->machine->waveSize; }

llvm::Expected<std::unique_ptr<Assembler>> Assembler::create(llvm::StringRef architecture, unsigned waveSize) {
  auto machine = Machine::create(architecture, waveSize);
  if (!machine) return machine.takeError();
  auto decoder = Decoder::create(architecture, waveSize);
  if (!decoder) return decoder.takeError();
  auto impl = std::make_unique<Impl>();
  impl->name = architecture.str();
  impl->machine = std::move(*machine);
  impl->decoder = std::move(*decoder);
  impl->emitter.reset(
      impl->machine->target->createMCCodeEmitter(*impl->machine->instructions, *impl->machine->context));
  if (!impl->emitter) return makeError("this LLVM was built without the AMDGPU encoder");
  if (llvm::Error error = impl->prepare()) return std::move(error);
  return std::unique_ptr<Assembler>(new Assembler(std::move(impl)));
}

AsmResult<llvm::MCInst> Assembler::match(llvm::StringRef text) {
  if (auto wrong = impl->match(text)) return AsmError{wrong->message, {}};
  return impl->streamer->kept;
}

/// LLVM calls them VGPR4_VGPR5 and VGPR7_LO16.
std::string Assembler::spellingOf(unsigned reg) const {
  llvm::SmallVector<llvm::StringRef, 32> parts;
  llvm::StringRef(impl->machine->registers->getName(llvm::MCRegister(reg))).split(parts, '_');
  static constexpr std::pair<const char *, const char *> files[] = {{"VGPR", "v"}, {"AGPR", "a"}, {"SGPR", "s"}};
  for (auto [prefix, file] : files) {
    unsigned first = 0;
    llvm::StringRef number = parts.front();
    if (!number.consume_front(prefix) || number.getAsInteger(10, first)) continue;
    if (parts.back() == "LO16" || parts.back() == "HI16")
      return file + std::to_string(first) + (parts.back() == "LO16" ? ".l" : ".h");
    if (parts.size() == 1) return file + std::to_string(first);
    return std::string(file) + "[" + std::to_string(first) + ":" + std::to_string(first + parts.size() - 1) + "]";
  }
  return {};
}

AsmResult<Encoding> Assembler::assemble(llvm::StringRef text) {
  auto code = impl->assemble(text);
  if (code) return code;
  return AsmError{code.error().message, {}};
}

/// LLVM 22 takes VGPRs where v_s_exp_f32 and its like need SGPRs, and encodes something else.
static std::optional<AsmError> vectorForScalar(const AsmInstruction &instruction) {
  if (!llvm::StringRef(instruction.name).starts_with("v_s_")) return std::nullopt;
  for (auto [i, operand] : llvm::enumerate(instruction.operands))
    if (operand.isRegister() && operand.file != RegisterFile::SGPR)
      return AsmError{"invalid operand for instruction",
                      AsmPart{AsmPart::Kind::Operand, static_cast<unsigned>(i), false, 0, 0}};
  return std::nullopt;
}

AsmResult<Encoding> Assembler::assemble(const AsmInstruction &instruction) {
  if (auto wrong = vectorForScalar(instruction)) return *wrong;
  auto code = impl->assemble(textOf(instruction));
  if (code) return checkOffset(instruction, std::move(code));
  if (!code.error().part) return code;
  AsmError error{code.error().message, {}};
  std::vector<AsmPart> parts;
  textOf(instruction, &parts);
  for (const AsmPart &part : parts)
    if (part.begin <= impl->errorColumn && impl->errorColumn < std::max(part.end, part.begin + 1)) error.part = part;
  return error;
}

/// LLVM 22 takes any offset of a buffer instruction, and lets it run into the fields beside it.
AsmResult<Encoding> Assembler::checkOffset(const AsmInstruction &instruction, AsmResult<Encoding> code) {
  if (!llvm::StringRef(instruction.name).contains("buffer_")) return code;
  for (auto [i, modifier] : llvm::enumerate(instruction.modifiers)) {
    auto *offset = std::get_if<int64_t>(&modifier.value);
    if (!offset || modifier.name != "offset") continue;
    auto decoded = decode(*code);
    const bool fits = decoded && decoded->modifiers.offset == *offset;
    if (!decoded) llvm::consumeError(decoded.takeError());
    if (!fits)
      return AsmError{"the offset has no room in the instruction",
                      AsmPart{AsmPart::Kind::Modifier, static_cast<unsigned>(i), false, 0, 0}};
  }
  return code;
}

llvm::Expected<Instruction> Assembler::decode(const Encoding &code, uint64_t address) {
  return impl->decoder->decodeOne(code, address);
}
std::string Assembler::print(const Instruction &instruction) { return impl->decoder->print(instruction); }

bool Assembler::clobbersEarly(const Instruction &instruction) const {
  const llvm::MCInstrDesc &desc = impl->machine->instructions->get(instruction.opcode);
  for (unsigned i = 0; i < desc.getNumDefs(); ++i)
    if (desc.getOperandConstraint(i, llvm::MCOI::EARLY_CLOBBER) >= 0) return true;
  return false;
}

bool Assembler::knows(llvm::StringRef name) {
  auto [entry, isNew] = impl->names.try_emplace(name, false);
  if (isNew) {
    auto code = assemble(name);
    const llvm::StringRef said = code ? "" : llvm::StringRef(code.error().message);
    entry->second = !said.starts_with("invalid instruction") && !said.contains("not supported on this GPU") &&
                    !said.contains("no instruction") && !said.starts_with("expected");
  }
  return entry->second;
}

/// Asks the assembler: some targets refuse tuples that begin with an odd register, in some files.
unsigned Assembler::alignmentOf(RegisterFile file, unsigned width) {
  if (width <= 1) return 1;
  if (file == RegisterFile::SGPR) return width == 2 ? 2 : 4;
  auto [entry, isNew] = impl->alignments.try_emplace({RegisterFile::VGPR, 2}, 1);
  if (isNew) {
    const AsmOperand odd = AsmOperand::ofRegister(RegisterFile::VGPR, 1, 2),
                     data = AsmOperand::ofRegister(RegisterFile::VGPR, 4);
    auto code = assemble(AsmInstruction{"flat_load_dword", {data, odd}, {}, nullptr});
    if (!code) code = assemble(AsmInstruction{"flat_load_b32", {data, odd}, {}, nullptr});
    entry->second = code ? 1 : 2;
  }
  return entry->second;
}

} // namespace fly::isa
