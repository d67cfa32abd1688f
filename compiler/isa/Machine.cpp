// Makes LLVM's MC objects. What depends on the architecture is in its row of compiler/target, so an architecture of a
// known generation needs nothing here.
#include "compiler/isa/Machine.h"

#include "compiler/isa/Decoder.h"
#include "compiler/isa/IgnoredFields.h"
#include "compiler/isa/LlvmTarget.h"
#include "compiler/isa/OpcodeNames.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/TargetSelect.h"

#include "llvm/MC/MCInst.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <mutex>

namespace fly::isa {

const llvm::Target *amdgpuTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    LLVMInitializeAMDGPUAsmParser();
  });
  std::string error;
  return llvm::TargetRegistry::lookupTarget(llvm::Triple("amdgcn-amd-amdhsa"), error);
}

llvm::Error makeError(const llvm::Twine &text) { return llvm::createStringError(llvm::inconvertibleErrorCode(), text); }

std::string assemblerFeatures(const target::Target &row, unsigned waveSize) {
  // If an architecture has a single wave size, LLVM enforces it.
  const bool both = row.hasWaveSize(32) && row.hasWaveSize(64);
  std::string features = !both ? "" : waveSize == 64 ? "+wavefrontsize64," : "+wavefrontsize32,";
  // gfx11 and gfx12 name the halves of registers; without this LLVM refuses encodings of the high ones.
  if (row.generation.encodings >= Encodings::Gfx11) features += "+real-true16,";
  return features;
}

llvm::Expected<std::unique_ptr<Machine>> Machine::create(llvm::StringRef targetId, unsigned waveSize) {
  auto [architecture, settings] = targetId.split(':');
  const target::Target *row = target::findReadable(architecture);
  if (!row) return makeError("unknown architecture `" + architecture + "`; known are " + target::names());
  if (waveSize == 0) waveSize = row->waveSize;
  if (!row->hasWaveSize(waveSize))
    return makeError("`" + architecture + "` has no waves of " + llvm::Twine(waveSize) + " lanes");

  auto machine = std::make_unique<Machine>();
  machine->row = row;
  machine->waveSize = waveSize;
  machine->target = amdgpuTarget();
  if (!machine->target) return makeError("this LLVM was built without the AMDGPU target");
  const llvm::Target &target = *machine->target;
  std::string features = assemblerFeatures(*row, waveSize);
  // "sramecc+:xnack-"
  for (llvm::StringRef rest = settings; !rest.empty();) {
    auto [one, others] = rest.split(':');
    if (one.ends_with("+") || one.ends_with("-")) features += (one.take_back() + one.drop_back() + ",").str();
    rest = others;
  }
  machine->registers.reset(target.createMCRegInfo(machine->triple));
  machine->asmInfo.reset(target.createMCAsmInfo(*machine->registers, machine->triple, machine->options));
  machine->instructions.reset(target.createMCInstrInfo());
  machine->subtarget.reset(target.createMCSubtargetInfo(
      machine->triple, row->processor.empty() ? architecture : llvm::StringRef(row->processor), features));
  machine->context = std::make_unique<llvm::MCContext>(machine->triple, machine->asmInfo.get(),
                                                       machine->registers.get(), machine->subtarget.get());
  machine->disassembler.reset(target.createMCDisassembler(*machine->subtarget, *machine->context));
  machine->printer.reset(target.createMCInstPrinter(machine->triple, machine->asmInfo->getAssemblerDialect(),
                                                    *machine->asmInfo, *machine->instructions, *machine->registers));
  if (!machine->disassembler || !machine->printer)
    return makeError("this LLVM was built without the AMDGPU disassembler");
  machine->printer->setPrintImmHex(true);
  return machine;
}

namespace {

/// Encodings of gfx8 and gfx9 that the manual reserves and that crash LLVM's decoder or printer: a literal in a 64-bit
/// encoding (it reads one where there are no bytes left).
bool hasReservedLiteral(uint32_t first, uint32_t second, uint32_t third, uint32_t fourth) {
  auto literalInVop3 = [](uint32_t word, uint32_t sources) {
    return word >> 26 == 0x34 &&
           ((sources & 0x1ff) == 255 || ((sources >> 9) & 0x1ff) == 255 || ((sources >> 18) & 0x1ff) == 255);
  };
  if (literalInVop3(first, second)) return true;
  // The scaled MFMA is two VOP3P after another.
  if (first >> 16 == 0xd3ac && literalInVop3(third, fourth)) return true;
  const bool buffer = first >> 26 == 0x38 || first >> 26 == 0x3a;
  return buffer && second >> 24 == 255; // scalar offset
}

/// The same for SDWA selections that do not exist, up to gfx10.
bool hasReservedSelection(uint32_t first, uint32_t second) {
  if (first >> 31 == 0 && (first & 0x1ff) == 0xf9) { // SDWA
    const unsigned base = first >> 25;
    auto selection = [&](unsigned shift) { return (second >> shift & 7) == 7; };
    if (selection(16) || (base != 0x3f && selection(24))) return true;
    if (base != 0x3e && (selection(8) || (second >> 11 & 3) == 3)) return true; // VOPC has no vector result
  }
  return false;
}

/// The scales of a WMMA are a prefix of eight bytes, which is an instruction by itself. No other gfx12 instruction has
/// these opcodes.
bool isScalePrefix(uint32_t first) { return first >> 16 == 0xcc35 || first >> 16 == 0xcc3a; }

bool areSame(const llvm::MCInst &a, const llvm::MCInst &b) {
  auto same = [](const llvm::MCOperand &x, const llvm::MCOperand &y) {
    return x.isReg() ? y.isReg() && x.getReg() == y.getReg() : x.isImm() && y.isImm() && x.getImm() == y.getImm();
  };
  return a.getOpcode() == b.getOpcode() && std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

} // namespace

/// LLVM's decoder takes the n-th register of a class without asking whether the class has that many, as for a WMMA
/// whose matrix is given as SGPRs. What it finds there, which may be no register, would crash its printer.
bool Machine::hasRegisters(const llvm::MCInst &inst) const {
  return llvm::none_of(inst, [&](const llvm::MCOperand &operand) {
    return operand.isReg() && (!operand.getReg().isValid() || operand.getReg().id() >= registers->getNumRegs());
  });
}

bool Machine::disassembleExactly(llvm::ArrayRef<uint8_t> code, uint64_t address, llvm::MCInst &inst,
                                 uint64_t &size) const {
  CodeWindow window{};
  const size_t there = std::min(code.size(), window.size());
  std::copy_n(code.begin(), there, window.begin());
  auto word = [&](unsigned i) { return llvm::support::endian::read32le(window.data() + 4 * i); };
  size = 0;
  inst.clear();
  if (there < 4) return false;
  if (row->generation.encodings <= Encodings::Gfx9 && hasReservedLiteral(word(0), word(1), word(2), word(3)))
    return false;
  if (row->generation.encodings <= Encodings::Gfx10 && hasReservedSelection(word(0), word(1))) return false;
  auto status = disassembler->getInstruction(inst, size, window, address, llvm::nulls());
  // A soft failure is an encoding that LLVM's assembler would write in another way, as the result of gfx10's v_cmpx.
  return status != llvm::MCDisassembler::Fail && size >= 4 && size <= 20 && size <= there && hasRegisters(inst);
}

bool Machine::disassemble(llvm::ArrayRef<uint8_t> code, uint64_t address, llvm::MCInst &inst, uint64_t &size) const {
  const bool decoded = disassembleExactly(code, address, inst, size);
  if (row->generation.encodings != Encodings::Gfx12 || code.size() < 4) return decoded;
  const bool prefix = isScalePrefix(llvm::support::endian::read32le(code.data()));
  if (decoded && !(prefix && size == 8)) return true;

  CodeWindow window{};
  const size_t there = std::min(code.size(), window.size());
  std::copy_n(code.begin(), there, window.begin());
  auto clears = [&](uint64_t least) {
    auto decode = [&](const CodeWindow &bytes, llvm::MCInst &result) {
      uint64_t length;
      return disassembleExactly(llvm::ArrayRef(bytes).take_front(there), address, result, length) && length >= least;
    };
    auto sameAs = [&](const CodeWindow &bytes, const CodeWindow &others) {
      llvm::MCInst one, other;
      return !decode(bytes, one) || !decode(others, other) || areSame(one, other);
    };
    llvm::MCInst ignored;
    return clearIgnoredFields(window, [&](const CodeWindow &bytes) { return decode(bytes, ignored); }, sameAs);
  };
  // A prefix with its product, if that is what there is; else by itself.
  if ((prefix && clears(16)) || (!decoded && clears(4)))
    return disassembleExactly(llvm::ArrayRef(window).take_front(there), address, inst, size);
  return decoded;
}

std::unique_ptr<llvm::MCInstrInfo> createInstructionTable() {
  const llvm::Target *target = amdgpuTarget();
  return std::unique_ptr<llvm::MCInstrInfo>(target ? target->createMCInstrInfo() : nullptr);
}

bool isInstructionName(std::string_view name) {
  static const llvm::StringSet<> all = [] {
    llvm::StringSet<> names;
    if (auto table = createInstructionTable())
      for (unsigned i = 0; i < table->getNumOpcodes(); ++i) {
        llvm::StringRef opcode = table->getName(i);
        names.insert(semanticName({opcode.data(), opcode.size()}));
      }
    return names;
  }();
  return all.contains(llvm::StringRef(name.data(), name.size()));
}

} // namespace fly::isa
