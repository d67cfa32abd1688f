// Makes LLVM's MC objects. Everything that depends on the architecture's name is the table below; adding an
// architecture of a known generation is adding a row.
#include "compiler/isa/Machine.h"

#include "compiler/isa/Decoder.h"
#include "compiler/isa/OpcodeNames.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/TargetSelect.h"

#include <mutex>

namespace fly::isa {

namespace {
//                                      name      generation         wave  both   xcnt   vgpr msb
constexpr ArchitectureRow rows[] = {{"gfx942", Generation::Gfx9, 64, false, false, false},
                                    {"gfx950", Generation::Gfx9, 64, false, false, false},
                                    {"gfx1201", Generation::Gfx12, 32, true, false, false},
                                    {"gfx1250", Generation::Gfx12, 32, false, true, true}};

const llvm::Target *amdgpu() {
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
} // namespace

const ArchitectureRow *findArchitectureRow(llvm::StringRef name) {
  for (const ArchitectureRow &row : rows)
    if (name == row.name) return &row;
  return nullptr;
}

std::vector<std::string> architectureNames() {
  std::vector<std::string> names;
  for (const ArchitectureRow &row : rows) names.emplace_back(row.name);
  return names;
}

llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

llvm::Expected<std::unique_ptr<Machine>> Machine::create(llvm::StringRef architecture, unsigned waveSize) {
  const ArchitectureRow *row = findArchitectureRow(architecture);
  if (!row) {
    std::string known;
    for (const ArchitectureRow &r : rows) known += (known.empty() ? "" : ", ") + std::string(r.name);
    return makeError("unknown architecture `" + architecture + "`; known are " + known);
  }
  if (waveSize == 0) waveSize = row->defaultWaveSize;
  if (waveSize != row->defaultWaveSize && !(row->bothWaveSizes && (waveSize == 32 || waveSize == 64)))
    return makeError("`" + architecture + "` has no waves of " + llvm::Twine(waveSize) + " lanes");

  auto machine = std::make_unique<Machine>();
  machine->row = row;
  machine->waveSize = waveSize;
  machine->target = amdgpu();
  if (!machine->target) return makeError("this LLVM was built without the AMDGPU target");
  const llvm::Target &target = *machine->target;
  // Where an architecture has one wave size, LLVM insists on it by itself.
  std::string features = !row->bothWaveSizes ? "" : waveSize == 64 ? "+wavefrontsize64" : "+wavefrontsize32";
  machine->registers.reset(target.createMCRegInfo(machine->triple));
  machine->asmInfo.reset(target.createMCAsmInfo(*machine->registers, machine->triple, machine->options));
  machine->instructions.reset(target.createMCInstrInfo());
  machine->subtarget.reset(target.createMCSubtargetInfo(machine->triple, architecture, features));
  machine->context = std::make_unique<llvm::MCContext>(machine->triple, machine->asmInfo.get(),
                                                       machine->registers.get(), machine->subtarget.get());
  machine->disassembler.reset(target.createMCDisassembler(*machine->subtarget, *machine->context));
  machine->printer.reset(target.createMCInstPrinter(machine->triple, machine->asmInfo->getAssemblerDialect(),
                                                    *machine->asmInfo, *machine->instructions,
                                                    *machine->registers));
  if (!machine->disassembler || !machine->printer)
    return makeError("this LLVM was built without the AMDGPU disassembler");
  machine->printer->setPrintImmHex(true);
  return machine;
}

std::unique_ptr<llvm::MCInstrInfo> createInstructionTable() {
  const llvm::Target *target = amdgpu();
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
