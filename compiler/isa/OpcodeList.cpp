// Which instructions an architecture has: each opcode of LLVM's table is encoded with plausible operands, and the
// architecture's decoder says whether the bytes are an instruction.
//
//   1. Pseudo opcodes, which have no encoding, are left out.
//   2. The operands: the first register of each operand's class, zeros for immediates; then scalar registers before
//      vector ones, then other values for one immediate at a time (64-bit DPP has a single control, s_barrier_signal
//      only negative ids, ...), until the decoder takes the bytes.
//   3. Whatever comes back is an instruction that exists, even if it is not the one that was encoded (the opcodes of
//      the generations overlap): it is entered under its own name.
//   4. An opcode that never came back under its own name is printed and assembled. If the assembler takes the text, or
//      refuses it for a reason other than the GPU, the opcode is reported as not built, so that nothing is lost silently.
#include "compiler/isa/OpcodeList.h"

#include "compiler/isa/DecoderImpl.h"
#include "compiler/isa/OpcodeNames.h"

#include "llvm/MC/MCExpr.h"

#include <map>

namespace fly::isa {

namespace {

/// Finds operands with which opcodes encode.
struct Builder {
  const Machine &machine;
  RegisterTable registers;
  const unsigned mode;
  std::map<std::pair<int, bool>, llvm::MCRegister> firsts;

  explicit Builder(const Machine &machine)
      : machine(machine), registers(*machine.registers),
        mode(machine.subtarget->getHwMode(llvm::MCSubtargetInfo::HwMode_RegInfo)) {}

  /// The register of a class that every subtarget is most likely to have: a numbered one, of low number.
  llvm::MCRegister first(int classId, bool scalarFirst) {
    auto [it, fresh] = firsts.try_emplace({classId, scalarFirst});
    if (!fresh) return it->second;
    auto rank = [&](const Operand &o) -> unsigned {
      if (o.isSpecial()) return 100000 + o.index;
      unsigned preference = o.isSgpr() ? (scalarFirst ? 0 : 20000) : o.isVgpr() ? (scalarFirst ? 20000 : 0) : 10000;
      // Number 0 would do, but a zero field is also what a forgotten one looks like.
      return preference + (o.index == 4 ? 0 : 1 + o.index) + (o.half == Half::High ? 5000 : 0);
    };
    unsigned best = ~0u;
    for (llvm::MCPhysReg reg : machine.registers->getRegClass(static_cast<unsigned>(classId)))
      if (unsigned r = rank(registers[reg]); r < best) {
        best = r;
        it->second = reg;
      }
    return it->second;
  }

  llvm::MCInst build(unsigned opcode, bool scalarFirst, std::vector<unsigned> &immediates) {
    const llvm::MCInstrDesc &desc = machine.instructions->get(opcode);
    llvm::MCInst inst;
    inst.setOpcode(opcode);
    immediates.clear();
    for (unsigned i = 0; i < desc.getNumOperands(); ++i) {
      const llvm::MCOperandInfo &info = desc.operands()[i];
      int tied = desc.getOperandConstraint(i, llvm::MCOI::TIED_TO);
      int classId = machine.instructions->getOpRegClassID(info, mode);
      if (tied >= 0 && tied < static_cast<int>(i)) {
        inst.addOperand(inst.getOperand(static_cast<unsigned>(tied)));
      } else if (classId >= 0) {
        inst.addOperand(llvm::MCOperand::createReg(first(classId, scalarFirst)));
      } else {
        immediates.push_back(i);
        inst.addOperand(llvm::MCOperand::createImm(0));
      }
    }
    return inst;
  }
};

/// An opcode's mark of the generation, which tells whether its absence would be worth reporting.
bool bearsMark(Generation generation, llvm::StringRef opcodeName) {
  static const char *const gfx9[] = {"vi", "gfx9", "gfx90a", "gfx940", "gfx950"};
  static const char *const gfx12[] = {"gfx12", "gfx1250"};
  for (const char *mark : generation == Generation::Gfx9 ? llvm::ArrayRef<const char *>(gfx9) : llvm::ArrayRef<const char *>(gfx12))
    if (hasToken({opcodeName.data(), opcodeName.size()}, mark)) return true;
  return false;
}

struct Lister {
  llvm::StringRef architecture;
  std::map<Op, OpcodeEntry> entries;
  std::map<std::string, std::string> unbuilt;

  void enter(const Instruction &inst, unsigned waveSize) {
    if (!inst.components.empty()) {
      for (const Instruction &half : inst.components) enter(half, waveSize);
      return;
    }
    OpcodeEntry &entry = entries[inst.op];
    if (entry.op == Op::Invalid) {
      entry.op = inst.op;
      entry.cls = inst.cls;
      entry.baseForm = inst.baseForm;
      entry.example = inst;
      entry.exampleWaveSize = waveSize;
    }
    entry.forms.insert(inst.form);
  }

  llvm::Error list(unsigned waveSize);
};

llvm::Error Lister::list(unsigned waveSize) {
  auto machine = Machine::create(architecture, waveSize);
  if (!machine) return machine.takeError();
  auto decoder = Decoder::create(architecture, waveSize);
  if (!decoder) return decoder.takeError();
  auto encoder = Encoder::create(architecture, waveSize);
  if (!encoder) return encoder.takeError();
  const llvm::MCInstrInfo &table = *(*machine)->instructions;
  Builder builder(**machine);

  for (unsigned opcode = 0; opcode < table.getNumOpcodes(); ++opcode) {
    const llvm::MCInstrDesc &desc = table.get(opcode);
    if (desc.isPseudo() || desc.getSize() == 0) continue;
    llvm::StringRef fullName = table.getName(opcode);
    const std::string wanted = semanticName({fullName.data(), fullName.size()});
    bool found = false;
    auto tryOperands = [&](const llvm::MCInst &inst) {
      auto bytes = (*encoder)->encode(inst);
      if (!bytes) { llvm::consumeError(bytes.takeError()); return; }
      auto decoded = (*decoder)->decodeOne(*bytes, 0);
      if (!decoded) { llvm::consumeError(decoded.takeError()); return; }
      enter(*decoded, waveSize);
      found |= name(decoded->op) == wanted;
    };
    std::vector<unsigned> immediates;
    for (bool scalarFirst : {false, true}) {
      llvm::MCInst inst = builder.build(opcode, scalarFirst, immediates);
      tryOperands(inst);
      for (unsigned i : immediates)
        for (int64_t value : {1, 2, 0x151, -1}) {
          if (found) break;
          llvm::MCInst changed = inst;
          changed.getOperand(i).setImm(value);
          tryOperands(changed);
        }
      if (found) break;
    }
    if (found || !bearsMark((*machine)->row->generation, fullName)) continue;
    unbuilt.try_emplace(fullName.str(), wanted);
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<OpcodeList> listOpcodes(llvm::StringRef architecture) {
  const ArchitectureRow *row = findArchitectureRow(architecture);
  if (!row) return makeError("unknown architecture `" + architecture + "`");
  Lister lister{architecture, {}, {}};
  for (unsigned waveSize : {row->defaultWaveSize, 96 - row->defaultWaveSize}) {
    if (waveSize != row->defaultWaveSize && !row->bothWaveSizes) continue;
    if (llvm::Error error = lister.list(waveSize)) return error;
  }
  OpcodeList result;
  for (auto &[op, entry] : lister.entries) result.entries.push_back(std::move(entry));
  std::sort(result.entries.begin(), result.entries.end(),
            [](const OpcodeEntry &a, const OpcodeEntry &b) { return name(a.op) < name(b.op); });
  for (auto &[opcode, wanted] : lister.unbuilt)
    if (!lister.entries.count(findOp(wanted))) result.unbuilt.push_back(opcode);
  return result;
}

} // namespace fly::isa
